/** What redriver's command line loads from this folder (src/people/cli/development-commands.ts). */
export { registerDemo } from "./demo.ts";
export { registerEmulator } from "./emulator.ts";
