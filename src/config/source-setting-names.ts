import type { SourceConfig } from "../job/contracts/drains-document.ts";
import type { Settings } from "./settings/settings.ts";

export function toTokenSetting(
  { name, token }: SourceConfig,
  { service }: Pick<Settings, "service">,
): string {
  switch (token.kind) {
    case "file":
      return `sources.${name}.token (file ${token.path})`;
    case "env":
      return `sources.${name}.token (environment variable ${token.name})`;
    case "settings":
      return service.tokenFile === undefined
        ? "service.token (REDRIVER_SERVICE_TOKEN, or QSTASH_TOKEN where that is unset)"
        : `service.tokenFile (REDRIVER_SERVICE_TOKEN_FILE, ${service.tokenFile})`;
  }
}

export function toAddressSetting({ name, url }: SourceConfig): string {
  return url === undefined
    ? "service.url (REDRIVER_SERVICE_URL, or QSTASH_URL where that is unset)"
    : `sources.${name}.url`;
}
