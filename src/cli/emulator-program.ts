import { existsSync } from 'node:fs';

/** Built beside dist/ and not part of the package: only a source checkout has it. */
export const EMULATOR_PROGRAM = new URL('../dist-emulator/main.js', import.meta.url);

export function hasEmulator(): boolean {
  return existsSync(EMULATOR_PROGRAM);
}
