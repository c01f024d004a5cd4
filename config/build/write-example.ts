/** Writes config/waypost.example.toml anew from the schema: node config/build/write-example.ts */
import { writeFileSync } from "node:fs";
import { formatExample } from "#/config/example.ts";

writeFileSync(new URL("../waypost.example.toml", import.meta.url), formatExample());
