import { expect, test } from "vitest";
import { toAddressSetting, toTokenSetting } from "../../../../src/config/setting-in-force.ts";
import type { Settings } from "../../../../src/config/settings/settings.ts";
import type { SecretRef, SourceConfig } from "../../../../src/ports/drains.ts";

const tokenSetting = (token: SecretRef, service: Partial<Settings["service"]> = {}): string =>
  toTokenSetting({ name: "eu", token } as SourceConfig, { service: service as Settings["service"] });

test("the setting of a token is the one that it is read from, and no other", () => {
  expect(tokenSetting({ kind: "file", path: "/run/eu" }, { token: "secret" })).toBe(
    "sources.eu.token (file /run/eu)",
  );
  expect(tokenSetting({ kind: "env", name: "EU_TOKEN" })).toBe(
    "sources.eu.token (environment variable EU_TOKEN)",
  );
  expect(tokenSetting({ kind: "settings" }, { tokenFile: "/run/token" })).toBe(
    "service.tokenFile (REDRIVER_SERVICE_TOKEN_FILE, /run/token)",
  );
  expect(tokenSetting({ kind: "settings" }, { token: "secret" })).toBe(
    "service.token (REDRIVER_SERVICE_TOKEN, or QSTASH_TOKEN where that is unset)",
  );
});

test("the setting of an address is the source's own, or the service's", () => {
  expect(toAddressSetting({ name: "eu", url: "https://eu.example" } as SourceConfig)).toBe("sources.eu.url");
  expect(toAddressSetting({ name: "eu" } as SourceConfig)).toBe(
    "service.url (REDRIVER_SERVICE_URL, or QSTASH_URL where that is unset)",
  );
});
