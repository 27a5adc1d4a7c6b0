import { expect, it } from "vitest";
import { isOfOwnPage } from "../../../../../src/people/console/access/front-door.ts";

const host = "localhost:9468";

it.each([
  { host, origin: "http://localhost:9468", site: "same-origin" },
  { host, origin: "https://LOCALHOST:9468", site: undefined },
  { host, origin: "HTTPS://localhost:9468", site: "same-origin", isHttps: true },
  { host, origin: undefined, site: "same-origin" },
  { host, origin: undefined, site: "none" },
  { host, origin: undefined, site: undefined },
  { host, origin: undefined, site: undefined, isHttps: true },
])("takes %j", (told) => {
  expect(isOfOwnPage({ isHttps: false, ...told })).toBe(true);
});

it.each([
  { host, origin: "http://evil.example", site: undefined },
  { host, origin: "null", site: undefined },
  { host, origin: "", site: undefined },
  { host: undefined, origin: "null", site: undefined },
  { host, origin: "http://localhost", site: "same-site" },
  { host, origin: "http://localhost:8080", site: "same-site" },
  { host, origin: "http://localhost:9468/path", site: undefined },
  { host, origin: "ftp://localhost:9468", site: undefined },
  // Somebody on the way to this host answers for it by http.
  { host, origin: "http://localhost:9468", site: undefined, isHttps: true },
  { host, origin: "http://localhost:9468", site: "cross-site" },
  { host, origin: undefined, site: "cross-site" },
  { host, origin: undefined, site: "same-site" },
])("refuses %j", (told) => {
  expect(isOfOwnPage({ isHttps: false, ...told })).toBe(false);
});
