import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toShownUrl } from "../../../../src/job/message/show-masked-values.ts";
import { words } from "../../../support/words.ts";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/** Of characters drawn evenly, as keys are. */
const keys = fc
  .array(fc.integer({ min: 0, max: 63 }), { minLength: 16, maxLength: 64, size: "max" })
  .map((draws) => draws.map((draw) => alphabet[draw]).join(""))
  .filter((key) => /[A-Z]/.test(key) && /[a-z]/.test(key) && /\d/.test(key));
const texts = fc.stringMatching(/^(?:zq|qz)[a-z0-9]{6,12}$/);

describe("an address whose content is masked", () => {
  it("never shows user, password, a value of the query or the fragment, whatever they are", () => {
    fc.assert(
      fc.property(fc.webAuthority(), texts, texts, texts, texts, (host, user, password, value, fragment) => {
        const bare = host.slice(host.lastIndexOf("@") + 1);
        const shown = toShownUrl(
          `https://${user}:${password}@${bare}/p?name=${value}&${value}&b=${value}#${fragment}`,
          "masked",
        );
        expect(shown).toContain(bare);
        expect(shown).toContain("?name=***&***&b=***#***");
        for (const secret of [user, password, value, fragment]) expect(shown).not.toContain(secret);
      }),
    );
  });

  it("never shows a key or an e-mail address, wherever in the path or among the names it stands", () => {
    const places: readonly ((secret: string) => string)[] = [
      (secret) => `https://a.example/${secret}`,
      (secret) => `https://a.example/v1/${secret}/items`,
      (secret) => `https://a.example/v1/id:${secret}.json`,
      (secret) => `https://a.example/;s=${secret}`,
      (secret) => `https://a.example/?${secret}=1&${secret}`,
      (secret) => `/${secret}`,
      (secret) => secret,
    ];
    fc.assert(
      fc.property(
        fc.oneof(keys, fc.emailAddress(), fc.uuid()),
        fc.constantFrom(...places),
        (secret, place) => {
          expect(toShownUrl(place(secret), "masked")).not.toContain(secret);
          expect(toShownUrl(place(encodeURIComponent(secret)), "masked")).not.toContain(
            encodeURIComponent(secret),
          );
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it("never throws, and is printable", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (url) => {
        const shown = toShownUrl(url, "masked");
        expect(shown).not.toMatch(/[\p{Cc}\p{Cs}]/u);
        expect(shown.length).toBeLessThan(2_000);
      }),
    );
  });

  it.each(words("/ a a1 @ & ? # a= % %41 - aB3- Aa http:// : ; é ."))(
    "of 1 MB is found in a moment: %j",
    (piece) => {
      const rest = piece.repeat(Math.ceil(1_000_000 / piece.length));
      const startedAt = performance.now();
      const heads = words("https:// https://a.example/ https://a.example/? https://a.example/?a=");
      for (const head of ["", ...heads]) toShownUrl(head + rest, "masked");
      // A quadratic pattern would take 10^12 steps for it.
      expect(performance.now() - startedAt).toBeLessThan(12_000);
    },
  );
});
