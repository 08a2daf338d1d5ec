import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

const FOLDER = resolve('test/tools/gateways');
const MODULES = resolve(FOLDER, 'node_modules');

/** How to get them: they are for benches only, so they are installed apart from ours. */
export const INSTALL = 'npm ci --prefix test/tools/gateways';

export const hasGateways = (): boolean => existsSync(MODULES);

/** A file of a package, and the version that it is of. */
export function gatewayFile(
  name: string,
  file: string,
): { readonly path: string; readonly version: string } {
  const manifest = resolve(MODULES, name, 'package.json');
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version: string };
  return { path: resolve(dirname(manifest), file), version };
}
