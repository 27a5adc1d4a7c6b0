import { expect, it } from "vitest";
import { findToken, isSame, parseTokenFile } from "../../../../../src/people/console/access/token-file.ts";

const token = "0123456789abcdef";

it("reads a line for each person, and passes over empty lines and remarks", () => {
  const text = `# people\n\nann@example.com admin ${token}\r\n  bob  viewer\t${token}2\n`;
  expect(parseTokenFile(text)).toEqual({
    ok: true,
    rows: [
      { name: "ann@example.com", role: "admin", token },
      { name: "bob", role: "viewer", token: `${token}2` },
    ],
  });
});

it.each([
  ["", "expected at least one line `name role token`"],
  ["# nobody", "expected at least one line `name role token`"],
  ["ann admin", "line 1: expected `name role token`"],
  [`ann admin ${token} more`, "line 1: expected `name role token`"],
  [`\nann root ${token}`, "line 2: expected a role of viewer, operator, admin"],
  [`<ann> admin ${token}`, "line 1: expected a name of letters, digits and . _ @ + -"],
  ["ann admin 0123456789abcde", "line 1: expected a token of at least 16 characters"],
  [`ann admin "${token}"`, "line 1: expected the token alone, got quotes around it"],
  [`ann admin TOKEN_OF_ANN=${token}`, "line 1: expected the token alone, got a name and = before it"],
  [`ann admin ${token.slice(8)}\n${token.slice(8)}`, "line 1: expected a token of at least 16 characters"],
  [`ann admin ${token}\n${token}`, "line 2: expected `name role token`"],
  [`ann admin ${token}\nann viewer ${token}2`, "line 2: expected a name that no other line has"],
])("refuses %j without its token", (text, why) => {
  expect(parseTokenFile(text)).toEqual({ ok: false, why });
});

it("finds a token only whole", () => {
  const rows = [{ name: "ann", role: "admin", token }] as const;
  expect(findToken(rows, token)?.name).toBe("ann");
  expect([findToken(rows, ""), findToken(rows, token.slice(1)), findToken(rows, `${token} `)]).toEqual([
    null,
    null,
    null,
  ]);
  expect([isSame("a", "a"), isSame("a", "ab"), isSame("", "a")]).toEqual([true, false, false]);
});
