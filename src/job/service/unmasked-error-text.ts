import { isObject } from "../message/json-value.ts";
import { parseJsonBody, type AnswerBody } from "./http-answer.ts";

/** Longer bodies are a proxy's page, not the service's `{"error":"…"}`; only their beginning is searched. */
export const maxErrorBytes = 65_536;

/** The service's error text as it came: `{"error":"…"}`, else the body's beginning. Empty if it was cut. */
export function rawErrorText(body: AnswerBody): string {
  return readErrorText(body).toWellFormed();
}

function readErrorText(body: AnswerBody): string {
  if (body.kind !== "whole") return "";
  if (body.bytes.byteLength <= maxErrorBytes) {
    const parsed = parseJsonBody(body.bytes);
    if (isObject(parsed)) {
      const { error, message } = parsed;
      if (typeof error === "string") return error;
      if (isObject(error) && typeof error["message"] === "string") return error["message"];
      if (typeof message === "string") return message;
    }
  }
  return new TextDecoder().decode(body.bytes.subarray(0, maxErrorBytes));
}
