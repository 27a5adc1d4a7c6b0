import { parsePointer, toPointer } from "../../../message/json-pointer.ts";

/** A pointer, as a problem about another text names it. It is one that is accepted. */
export function pointerExpected(text: string): string {
  return `${JSON.stringify(proposePointer(text.slice(0, 60)))}, a JSON pointer, which begins with a slash`;
}

/** True for a pointer that is a JSONPath with a slash in front: no body has such a name. */
export function isJsonPath(pointer: string): boolean {
  return /^\/\$[.[]/.test(pointer);
}

/**
 * The pointer (RFC 6901) that is meant by a bare name (`tenant`), a JSONPath (`$.a.b[0]`, `$['a']`), a path of jq
 * (`.a.b`), or a pointer as a fragment (`#/a`) or with a wrong escape (`/a~b`).
 */
export function proposePointer(text: string): string {
  if (text.startsWith("#")) return corrected(text.slice(1).replaceAll(/%([0-9a-f]{2})/gi, fromHex));
  if (text.startsWith("/") && !isJsonPath(text) && !/\[\d+\]/.test(text)) return corrected(text);
  const path = text.replace(/^\/?(?:\$(?=[.[]|$))?/, "");
  const isPath = path !== text || /^\.|\[\d+\]|[^.]\.[^.]/.test(path);
  if (!isPath) return path.includes("/") ? corrected(`/${path}`) : toPointer([path]);
  const names = [...path.matchAll(/\[(['"])(.*?)\1\]|\[(\d+)\]|[^.[\]/]+/g)];
  return toPointer(names.map(([whole, , quoted, index]) => quoted ?? index ?? whole));
}

function corrected(text: string): string {
  if (parsePointer(text) !== null) return text;
  return toPointer(text.replace(/^\//, "").split("/"));
}

function fromHex(_whole: string, hex: string): string {
  return String.fromCharCode(Number.parseInt(hex, 16));
}
