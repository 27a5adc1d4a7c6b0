import { expect, it } from "vitest";
import { parse } from "yaml";
import { documentPages, readDoc } from "../support/markdown.ts";

const { version } = JSON.parse(readDoc("package.json")) as { readonly version: string };

it("each page, the chart and the statement on vulnerabilities name this version", () => {
  const named = [
    ...documentPages,
    "Dockerfile",
    "deploy/chart/README.md",
    "deploy/supply-chain/redriver.openvex.json",
  ]
    .flatMap((file) => [
      ...readDoc(file).matchAll(
        /\bredriver(?:-dev)?[:@](\d+\.\d+\.\d+)|--version (\d[\d.]+)|(?:--build-arg VERSION=|tag: |newTag: )([\d.]+)/gi,
      ),
    ])
    .map(([, ...groups]) => groups.find((one) => one !== undefined));
  expect(named.length).toBeGreaterThan(8);
  expect(new Set(named)).toEqual(new Set([version]));
  expect(parse(readDoc("deploy/chart/Chart.yaml"))).toMatchObject({ version, appVersion: version });
});

it("a tag of a version runs .ci/release, which may sign as the workflow", () => {
  const { on, permissions, jobs } = parse(readDoc(".github/workflows/release.yml"));
  expect(on).toEqual({ push: { tags: ["v*"] } });
  expect(permissions).toEqual({ contents: "write", "id-token": "write", packages: "write" });
  expect(jobs.release.steps.at(-1)).toEqual({ run: ".ci/release" });
});
