import { expect } from 'vitest';
import { verifies } from '../verifies.ts';
import type { StoreUnderTest } from './store-under-test.ts';

const MIB = 1024 * 1024;

/** The cache of web pages. */
export function pagesCases(at: StoreUnderTest): void {
  const page = (name: string, bytes: Uint8Array, checkedAt: number) => ({
    url: `https://a.example/${name}`,
    finalUrl: `https://a.example/${name}/`,
    contentType: 'text/html; charset=utf-8',
    etag: '"1"',
    lastModified: '',
    bytes,
    checkedAt,
  });

  verifies('extract:page-cache', 'keeps every byte of a page, and its newest version', async () => {
    const { pages } = at.store;
    const bytes = Uint8Array.from({ length: 1000 }, (_, index) => index % 256);
    const first = page('bytes', bytes, at.clock.now());
    await pages.save(first);
    expect(await pages.get(first.url)).toEqual(first);
    const second = { ...first, bytes: new Uint8Array([0, 1]), checkedAt: first.checkedAt + 5 };
    await pages.save(second);
    await pages.confirm(second.url, second.checkedAt + 7);
    expect(await pages.get(first.url)).toEqual({ ...second, checkedAt: second.checkedAt + 7 });
    expect(await pages.get('https://a.example/other')).toBeUndefined();
  });

  verifies('extract:page-cache', 'removes the pages that were checked longest ago', async () => {
    const { pages } = at.store;
    const now = at.clock.now();
    const large = new Uint8Array(4 * MIB);
    for (let number = 0; number < 14; number += 1)
      await pages.save(page(`large${number}`, large, now + number));
    expect(await pages.get('https://a.example/large0')).toBeUndefined();
    expect(await pages.get('https://a.example/large13')).toBeDefined();
  });

  verifies('extract:page-cache', 'does not keep a page above its limit', async () => {
    const { pages } = at.store;
    const huge = page('huge', new Uint8Array(4 * MIB + 1), at.clock.now());
    await pages.save(huge);
    expect(await pages.get(huge.url)).toBeUndefined();
  });
}
