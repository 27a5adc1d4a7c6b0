import { describe, expect, it } from "vitest";
import { provesItsBody } from "../../../../src/job/message/body-proof-headers.ts";
import { words } from "../../../support/words.ts";

describe("a header proves its body", () => {
  it.each(
    words(`
      Digest Content-Digest Repr-Digest Content-MD5 Signature Signature-Input X-Signature
      X-Signature-Ed25519 X-Hub-Signature X-Hub-Signature-256 Stripe-Signature Svix-Signature svix-id
      Webhook-Signature X-Shopify-Hmac-Sha256 X-Hmac X-Amz-Content-Sha256 X-Amz-Checksum-Crc32 X-Checksum X-Goog-Hash
      X-Body-Hash X-Payload-Digest X-Sig X-JWS X-ShopSignature x_signature
    `),
  )("%s", (name) => {
    expect(provesItsBody(name, "value")).toBe(true);
  });

  it.each(
    words(`
      Content-Type Content-Length Want-Digest Want-Content-Digest Accept-Signature X-Design X-Signal
      X-Request-Id ETag X-Commit-Hash Authorization Webhook-Id X-Shard
    `),
  )("and %s does not", (name) => {
    expect(provesItsBody(name, "Bearer token")).toBe(false);
  });

  it.each([
    "AWS4-HMAC-SHA256 Credential=a/b, SignedHeaders=host, Signature=00",
    'Signature keyId="a",signature="b"',
    "HMAC-SHA256 SignedHeaders=date&Signature=b",
    "SharedKey account:sig",
    'Digest username="a", qop=auth-int',
    'hmac username="a", signature="b"',
  ])("Authorization: %s", (value) => {
    expect(provesItsBody("authorization", value)).toBe(true);
  });

  it.each(["Basic dXNlcjpwdw==", 'Digest username="a", qop=auth', "Token signature"])(
    "and Authorization: %s does not",
    (value) => {
      expect(provesItsBody("AUTHORIZATION", value)).toBe(false);
    },
  );
});
