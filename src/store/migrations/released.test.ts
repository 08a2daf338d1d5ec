import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** The files of the migrations that a release contains, with their digests. */
const RELEASED = {
  '1-first.ts': 'a88f656d54728197f74f0dbc60d18a4c06a50a794b3cc94cbc56a306d8c6f9e4',
  '2-client-tokens.ts': '83c74d3e9ff7b7559f2d0b257729d002d39290f6b36afbb10982b13065889080',
  '3-usage-by-tool.ts': '8d817c21ce124bd180042d9bafabe42385e7f71669cfff25928b2fa1a5452301',
  '4-long-work.ts': '8e1379845f35dd8380c4834dfec431e911fdcf3cb56c32a99f2e5d8206ef0cc7',
  '5-client-principals.ts': '05ad31b6e545d2c8f428034e63e20692228e32e9180d8f4797cc6106dcb813d5',
  '6-audit-proofs.ts': 'e9f4515d95496c1c8ce659e86f365a9310deeeb42f5701d766830bebb1db71b7',
};

test.each(Object.entries(RELEASED))('%s is as it was released', (name, digest) => {
  const text = readFileSync(new URL(name, import.meta.url), 'utf8');
  expect(hash('sha256', text)).toBe(digest);
});
