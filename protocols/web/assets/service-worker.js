// The service worker. It shows a push and opens the approvals; it keeps nothing, and answers no request of a page.
// `words` stands before it: of each language the texts for one mail and for more.
"use strict";

self.addEventListener("push", (event) => {
  const { waiting = 1, language = "en" } = event.data ? event.data.json() : {};
  const known = words[language] ? language : "en";
  const text = words[known][new Intl.PluralRules(known).select(waiting) === "one" ? "one" : "other"];
  event.waitUntil(
    self.registration.showNotification(text.replace("%", String(waiting)), {
      tag: "approvals",
      renotify: true,
      lang: known,
      icon: "/icon-192.png",
    }),
  );
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(self.clients.openWindow("/approvals"));
});
