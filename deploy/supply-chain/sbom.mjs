// Prints the SBOM of the program: CycloneDX 1.5, the packages of package-lock.json that production has. `npm sbom --omit=dev` leaves
// out a package that a tool asks for too. The same lock file gives the same bytes.
import { readFileSync } from "node:fs";

const read = (name) => JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), "utf8"));
const { name, version } = read("package.json");

function toComponent([path, { version: own, license, integrity }]) {
  const full = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
  const purl = `pkg:npm/${full.replace("@", "%40")}@${own}`;
  const hash = /^sha512-(.+)$/.exec(integrity ?? "")?.[1];
  return {
    type: "library",
    "bom-ref": purl,
    name: full,
    version: own,
    purl,
    ...(license && { licenses: [{ expression: license }] }),
    ...(hash && { hashes: [{ alg: "SHA-512", content: Buffer.from(hash, "base64").toString("hex") }] }),
  };
}

const packages = Object.entries(read("package-lock.json").packages).filter(
  ([path, one]) => path !== "" && !one.dev,
);
const components = [...new Map(packages.map(toComponent).map((one) => [one.purl, one])).values()];
const sbom = {
  bomFormat: "CycloneDX",
  specVersion: "1.5",
  version: 1,
  metadata: { component: { type: "application", "bom-ref": `pkg:npm/${name}@${version}`, name, version } },
  components: components.toSorted((one, other) => (one.purl < other.purl ? -1 : 1)),
};
process.stdout.write(`${JSON.stringify(sbom, null, 2)}\n`);
