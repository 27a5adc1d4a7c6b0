import { describe, expect, test } from "vitest";
import { createRedact } from "../../../src/telemetry/redact.ts";

const secret = 'tok/en+with "quotes"&ümlaut=';
const redact = createRedact(() => [secret]);

function lineOf(text: string): string {
  return `${JSON.stringify({ level: "info", msg: `before ${text} after` })}\n`;
}

function toLowerHex(text: string): string {
  return text.replaceAll(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase());
}

describe("a line loses a secret", () => {
  test.each([
    ["as it is", secret],
    ["as JSON inside JSON", JSON.stringify({ token: secret })],
    ["percent-encoded", encodeURIComponent(secret)],
    ["percent-encoded in lower case", toLowerHex(encodeURIComponent(secret))],
    ["form-encoded", encodeURIComponent(secret).replaceAll("%20", "+")],
    ["in base64", Buffer.from(secret).toString("base64")],
    ["in base64url", Buffer.from(secret).toString("base64url")],
    ["in base64 after one byte", Buffer.from(`u${secret}`).toString("base64")],
    ["in a Basic header", Buffer.from(`user1:${secret}`).toString("base64")],
    ["in a Basic header with bytes behind", Buffer.from(`user12:${secret}xyz`).toString("base64url")],
  ])("%s", (_name, form) => {
    const redacted = redact(lineOf(form));
    expect(redacted).toContain("[redacted]");
    expect(redacted).not.toContain(form.slice(8, 20));
    expect(redacted.endsWith("\n")).toBe(true);
    expect(JSON.parse(redacted)).toMatchObject({ level: "info" });
  });

  test("every time it occurs", () => {
    expect(JSON.parse(redact(lineOf(`${secret} ${secret}`)))).toMatchObject({
      msg: "before [redacted] [redacted] after",
    });
  });

  test("also where it is a key, and deep inside", () => {
    const line = JSON.stringify({ list: [{ [secret]: { deep: [secret] } }] });
    expect(JSON.parse(redact(line))).toEqual({ list: [{ "[redacted]": { deep: ["[redacted]"] } }] });
  });

  test("of digits inside a number and stays JSON", () => {
    const line = JSON.stringify({ time: 1_234_567_890, msg: "x" });
    expect(JSON.parse(createRedact(() => ["345678"])(line))).toEqual({ time: "[redacted]", msg: "x" });
  });

  test("also in a line that is not JSON", () => {
    expect(createRedact(() => ["sesame-open"])("say sesame-open\n")).toBe("say [redacted]\n");
  });

  test("whole, when another secret is its beginning", () => {
    expect(createRedact(() => ["abcdef", "abcdefghij"])('"abcdefghij"')).toBe('"[redacted]"');
  });
});

describe("a line is left as it is", () => {
  test("without a secret", () => {
    const line = lineOf("nothing here");
    expect(redact(line)).toBe(line);
  });

  test("for secrets below six characters, which ordinary words contain", () => {
    const line = lineOf("open the door");
    expect(createRedact(() => ["open", "door", ""])(line)).toBe(line);
  });
});

test("a secret that was read again is redacted from then on", () => {
  let secrets = ["first-secret"];
  const redact = createRedact(() => secrets);
  expect(redact("first-secret second-secret")).toBe("[redacted] second-secret");
  secrets = ["first-secret", "second-secret"];
  expect(redact("first-secret second-secret")).toBe("[redacted] [redacted]");
});
