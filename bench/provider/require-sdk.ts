import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

const FOLDER = resolve('test/tools/sdks');

export const hasSdks = (): boolean => existsSync(resolve(FOLDER, 'node_modules'));

/** They are for tests and benches only, so they are installed apart from ours. */
export function requireSdk<T>(name: string): T {
  return createRequire(resolve(FOLDER, 'package.json'))(name) as T;
}
