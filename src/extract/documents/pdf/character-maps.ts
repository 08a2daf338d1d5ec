import { brotliDecompressSync } from 'node:zlib';

/**
 * Gives pdf.js the predefined character maps of PDF, which documents in Chinese, Japanese and
 * Korean refer to by name. They are part of the program: nothing is fetched.
 */
export class BundledCharacterMaps {
  async fetch(request: { readonly kind: string; readonly filename: string }): Promise<Uint8Array> {
    const map = request.kind === 'cMapUrl' ? (await maps()).get(request.filename) : undefined;
    // Fonts and decoders of images are not needed for text.
    if (map === undefined) throw new Error(`${request.filename} is not bundled`);
    return map.slice();
  }
}

let loaded: Promise<ReadonlyMap<string, Uint8Array>> | undefined;

function maps(): Promise<ReadonlyMap<string, Uint8Array>> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<ReadonlyMap<string, Uint8Array>> {
  const { default: file } = await import('./character-maps.json', { with: { type: 'json' } });
  const all = brotliDecompressSync(Buffer.from(file.data, 'base64'));
  const byName = new Map<string, Uint8Array>();
  let at = 0;
  for (const [name, length] of Object.entries(file.lengths)) {
    byName.set(`${name}.bcmap`, all.subarray(at, at + length));
    at += length;
  }
  return byName;
}
