/** How the API says no: `{ error: { code, message } }`. */
import { z } from "zod";
import { toSafeJson } from "../../../job/message/write-safe-json.ts";
import { errorTable, toFailure, type ErrorCode } from "../../../job/contracts/errors.ts";

/** Besides the codes of docs/errors.md. */
export const apiErrorCodes = [
  "request-invalid",
  "sign-in-needed",
  "not-allowed",
  "request-too-large",
  "media-type-wrong",
  "act-refused",
  "host-unknown",
  "too-many-guesses",
  "unexpected",
] as const;
export type ApiErrorCode = (typeof apiErrorCodes)[number];

export const refusalStatuses = [400, 401, 403, 404, 409, 413, 415, 421, 429, 500, 503] as const;
export type RefusalStatus = (typeof refusalStatuses)[number];

export const errorAnswer = z.object({
  error: z.object({
    code: z.enum([...(Object.keys(errorTable) as ErrorCode[]), ...apiErrorCodes]),
    message: z.string(),
  }),
});

export class ApiRefusal extends Error {
  readonly status: RefusalStatus;
  readonly code: ApiErrorCode | ErrorCode;

  constructor(status: RefusalStatus, code: ApiErrorCode | ErrorCode, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

const statusOf: Readonly<Partial<Record<ErrorCode | "unexpected", RefusalStatus>>> = {
  "command-misused": 400,
  "not-found": 404,
  "plan-refused": 409,
  "redis-unavailable": 503,
  "redis-unsuitable": 503,
  stopped: 503,
};

export function toRefusal(error: unknown): ApiRefusal {
  if (error instanceof ApiRefusal) return error;
  const { code, message } = toFailure(error);
  // Its text is for us, and may name what is inside.
  if (code === "unexpected" || code === "invariant-broken") {
    return new ApiRefusal(500, "unexpected", "this request failed");
  }
  return new ApiRefusal(statusOf[code] ?? 500, code, message);
}

export function toRefusalAnswer({ status, code, message }: ApiRefusal): Response {
  return new Response(`${toSafeJson({ error: { code, message } })}\n`, {
    status,
    headers: {
      "content-type": "application/json",
      ...(status === 503 ? { "retry-after": "5" } : {}),
    },
  });
}

const codeOfStatus: Readonly<Record<number, ApiRefusal["code"]>> = {
  400: "request-invalid",
  401: "sign-in-needed",
  403: "not-allowed",
  404: "not-found",
  413: "request-too-large",
  421: "host-unknown",
  429: "too-many-guesses",
  503: "redis-unavailable",
};

const messageOf: Readonly<Partial<Record<ApiRefusal["code"], string>>> = {
  "sign-in-needed":
    "expected the header Authorization: Bearer <token>, with a token of console.tokenFile; or each header of a proxy once",
  "not-allowed": "you may not do this from here: who asks is not known, or a page of another site asks",
  "not-found": "there is no such path",
  "too-many-guesses": "too many wrong tokens came from your address; try again in a minute",
  "redis-unavailable": "Redis does not answer; nothing was done",
  "host-unknown": "expected a loopback name, or a name of console.hosts (REDRIVER_CONSOLE_HOSTS)",
};

/** What the checks before the API have answered for a browser, as the API says it. */
export function toApiAnswer(answer: Response): Response {
  if (answer.status < 400 || answer.headers.get("content-type")?.startsWith("application/json") === true) {
    return answer;
  }
  const code = codeOfStatus[answer.status] ?? "unexpected";
  const headers = new Headers(answer.headers);
  for (const name of ["content-length", "set-cookie"]) headers.delete(name);
  headers.set("content-type", "application/json");
  const error = { code, message: messageOf[code] ?? "this request was refused" };
  return new Response(`${toSafeJson({ error })}\n`, { status: answer.status, headers });
}

export const apiPath = "/api/v1";

export function isApiPath(path: string): boolean {
  return path === apiPath || path.startsWith(`${apiPath}/`);
}
