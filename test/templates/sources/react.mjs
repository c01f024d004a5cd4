/** Mails of react-email's components. */
export async function reactPages() {
  const { createElement: h } = await import("react");
  const c = await import("@react-email/components");
  const { render } = await import("@react-email/render");
  const text = { fontSize: "14px", lineHeight: "24px", color: "#404040" };
  const welcome = h(
    c.Html,
    { lang: "en" },
    h(
      c.Head,
      null,
      h(c.Font, {
        fontFamily: "Inter",
        fallbackFontFamily: "Helvetica",
        webFont: { url: "https://f.example/i.woff2", format: "woff2" },
      }),
    ),
    h(c.Preview, null, "Welcome to the reading room"),
    h(
      c.Body,
      { style: { backgroundColor: "#f6f9fc", fontFamily: "Helvetica,Arial,sans-serif" } },
      h(
        c.Container,
        {
          style: { backgroundColor: "#ffffff", margin: "0 auto", padding: "20px 0 48px", maxWidth: "580px" },
        },
        h(
          c.Section,
          { style: { padding: "0 48px" } },
          h(c.Img, { src: "https://img.example/room.png", width: "49", height: "21", alt: "Reading room" }),
          h(c.Hr, { style: { borderColor: "#e6ebf1", margin: "20px 0" } }),
          h(c.Heading, { as: "h1", style: { fontSize: "24px", letterSpacing: "-0.5px" } }, "Welcome, Dana"),
          h(
            c.Text,
            { style: text },
            "Your account is ready. You can borrow six books at a time, for four weeks each.",
          ),
          h(
            c.Button,
            {
              href: "https://room.example",
              style: {
                backgroundColor: "#656ee8",
                borderRadius: "5px",
                color: "#fff",
                padding: "10px",
                width: "100%",
                textAlign: "center",
              },
            },
            "Open the catalogue",
          ),
          h(
            c.Row,
            null,
            h(c.Column, { style: { width: "50%" } }, h(c.Text, { style: text }, "Opening hours")),
            h(c.Column, { align: "right" }, h(c.Text, { style: text }, "from nine to six")),
          ),
          h(
            c.Text,
            { style: { ...text, color: "#8898aa", fontSize: "12px" } },
            "The reading room, Old Street 1. ",
            h(c.Link, { href: "https://room.example/out" }, "Write to us"),
          ),
        ),
      ),
    ),
  );
  const code = h(
    c.Html,
    null,
    h(c.Head, null),
    h(c.Preview, null, "Your code"),
    h(
      c.Body,
      { style: { backgroundColor: "#ffffff" } },
      h(
        c.Container,
        { style: { padding: "24px", border: "1px solid #eaeaea", borderRadius: "8px" } },
        h(c.Heading, { as: "h2" }, "Confirm the address"),
        h(
          c.Section,
          {
            style: { background: "#f5f4f5", borderRadius: "4px", marginBottom: "30px", padding: "40px 10px" },
          },
          h(c.Text, { style: { fontSize: "30px", textAlign: "center", verticalAlign: "middle" } }, "QXF-T4B"),
        ),
        h(c.CodeInline, null, "waypost login --code"),
        h(
          c.Markdown,
          null,
          "## What next\n\n- open the page\n- **enter** the code\n\nThat is all, and [here](https://room.example) is the page.\n\n| a | b |\n|---|---|\n| one cell | other cell |",
        ),
      ),
    ),
  );
  const tailwind = h(
    c.Tailwind,
    null,
    h(
      c.Html,
      null,
      h(c.Head, null),
      h(
        c.Body,
        { className: "bg-white my-auto mx-auto font-sans px-2" },
        h(
          c.Container,
          { className: "border border-solid border-gray-200 rounded my-10 mx-auto p-5 max-w-[465px]" },
          h(
            c.Heading,
            { className: "text-black text-[24px] font-normal text-center p-0 my-8 mx-0" },
            "Join the crew of the boat",
          ),
          h(
            c.Text,
            { className: "text-black text-[14px] leading-6" },
            "The captain invited you to sail with the crew on Saturday morning.",
          ),
          h(
            c.Section,
            { className: "text-center mt-8 mb-8 sm:px-8" },
            h(
              c.Button,
              {
                className:
                  "bg-black rounded text-white text-xs font-semibold no-underline text-center px-5 py-3",
                href: "https://boat.example",
              },
              "Come on board",
            ),
          ),
          h(
            c.Text,
            { className: "text-gray-500 text-[12px] leading-6 hover:text-black" },
            "This invitation was sent to the harbour office. If you did not expect it, do nothing.",
          ),
        ),
      ),
    ),
  );
  return {
    "react-welcome": await render(welcome),
    "react-code": await render(code),
    "react-tailwind": await render(tailwind),
  };
}
