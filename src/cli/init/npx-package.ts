import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { shellQuote } from '#core/text/text.ts';

/**
 * What npx was given to fetch the program, quoted for a shell: a name, or the path of a tarball. npx
 * notes it in the package.json of its folder, `_npx/<hash>`.
 */
export function npxPackage(script: string): string {
  for (let folder = dirname(script); folder !== dirname(folder); folder = dirname(folder)) {
    const [first, second] = packagesOf(join(folder, 'package.json'));
    if (first !== undefined && second === undefined) return shellQuote(first);
  }
  return 'exai';
}

function packagesOf(file: string): readonly string[] {
  try {
    const document = JSON.parse(readFileSync(file, 'utf8')) as { _npx?: { packages?: unknown } };
    const packages = document._npx?.packages;
    return Array.isArray(packages) ? packages.map(String) : [];
  } catch {
    // Another version of npx may note it differently.
    return [];
  }
}
