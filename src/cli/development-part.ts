import { existsSync } from "node:fs";
import { RedriverError } from "../ports/errors.ts";

/**
 * `load` imports a folder of the program that only the development image has: the production image is without
 * it (Dockerfile).
 */
export async function loadDevelopmentPart<Part>(
  folder: "emulator" | "demo",
  load: () => Promise<Part>,
): Promise<Part> {
  if (existsSync(new URL(`../${folder}/`, import.meta.url))) return load();
  throw new RedriverError(
    "command-misused",
    `expected the development image (--target dev), which has the ${folder}; this production image has not`,
  );
}
