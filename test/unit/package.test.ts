import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { generated } from '../../scripts/generated.ts';
import { verifies } from '../verifies.ts';

verifies('package:generated', 'every generated file is what its generator writes now', async () => {
  for (const { path, content } of await generated()) {
    expect(readFileSync(path, 'utf8'), `${path} is stale: npm run generate`).toBe(content);
  }
});

verifies('package:light', 'a production install is small and runs no script of a package', () => {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { dev?: boolean; hasInstallScript?: boolean; resolved?: string }>;
  };
  const production = Object.entries(lock.packages).filter(([path, { dev }]) => path !== '' && !dev);
  expect(production.length).toBeLessThanOrEqual(60);
  expect(
    production.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path),
  ).toEqual([]);
  // A lock file that names a host would send every installer there.
  expect(
    Object.values(lock.packages).filter(({ resolved }) => resolved?.startsWith('http')),
  ).toEqual([]);
});
