import type { EmulatorSettings } from "../options.ts";
import type { Choice } from "./random-choice.ts";
import type { Filler } from "./filler.ts";
import type { Part } from "./generated-body.ts";

const reasons: Readonly<Record<number, string>> = {
  404: "not found",
  422: "unprocessable",
  429: "too many requests",
  500: "internal error",
  502: "bad gateway",
  503: "service unavailable",
  504: "gateway timeout",
};

/** What the last attempt was answered with; nothing at all for one in fifteen. */
export function responsePart(
  choice: Choice,
  filler: Filler,
  missingStatus: EmulatorSettings["missingStatus"],
): Part {
  const status = choice.weighted([
    [503, 32],
    [500, 22],
    [502, 11],
    [504, 10],
    [429, 8],
    [404, 6],
    [422, 4],
    [0, 7],
  ]);
  if (status === 0) {
    const responseStatus = missingStatus === "zero" ? 0 : undefined;
    return { fields: { responseStatus, responseBody: "", responseBodyBase64: "" }, fill: undefined };
  }
  const wait = status === 429 || (status === 503 && choice.chance(0.3));
  const header = wait ? { "Retry-After": [String(1 + choice.below(120))] } : {};
  const reason = reasons[status]!;
  if (choice.chance(0.03)) {
    return {
      fields: {
        responseStatus: status,
        responseHeader: { "Content-Type": ["application/octet-stream"], ...header },
        responseBody: "",
        responseBodyBase64: filler.base64(24),
      },
      fill: undefined,
    };
  }
  const page = status === 502 || status === 504;
  const body = (detail: string): string =>
    page
      ? `<html><head><title>${status}</title></head><body>${reason} ${detail}</body></html>`
      : `{"error":"${reason}","detail":"${detail}"}`;
  return {
    fields: {
      responseStatus: status,
      responseHeader: {
        "Content-Type": [page ? "text/html" : "application/json"],
        Server: ["nginx"],
        ...header,
      },
      responseBody: body(""),
      responseBodyBase64: "",
    },
    fill: (length) => ({ responseBody: body(filler.text(length)) }),
  };
}
