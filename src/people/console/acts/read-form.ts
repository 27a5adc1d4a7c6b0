import type { Texts } from "../../operations/define.ts";

const maxFormBytes = 16_384;

/** Null: too large, or no form. */
export async function readForm(request: Request): Promise<Texts | null> {
  const type = request.headers.get("content-type") ?? "";
  if (!type.startsWith("application/x-www-form-urlencoded")) return null;
  const text = await readText(request, maxFormBytes);
  if (text === null) return null;
  const values: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const trimmed = value.trim();
    if (trimmed !== "") values[name] = trimmed;
  }
  return values;
}

/** Null: longer than `maxBytes`, or its sender left before its end. That is no defect of ours, and nobody reads the answer. */
export async function readText(request: Request, maxBytes: number): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of request.body ?? []) {
      size += chunk.byteLength;
      if (size > maxBytes) return null;
      chunks.push(chunk);
    }
  } catch {
    return null;
  }
  return Buffer.concat(chunks).toString("utf8");
}
