import { Buffer } from 'node:buffer';
import { gzipSync } from 'node:zlib';
import { zipSync } from 'fflate';
import { expect } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { verifies } from '../../../../test/verifies.ts';
import { readArchive } from './read-archive.ts';

const SEVEN_ZIP =
  'N3q8ryccAAQgILYcpwAAAAAAAAAiAAAAAAAAAP0qV/3gAGEAD10ANBlJ7o3dFyNrXjERbwAAAAAAgTMHrg/Pbu6MB8hDf0Gx+v40CJlxfLcXPZXkIrF87xen6WhQT7EZ8qpSIC0czbPdh6QXCFRrmhU/PePyl+9AZ8DkQlaHzj9lqrHeG+s/9m/n7v2OjsCTXL5BshKSDKeaudGOicPaa27Xp1vEF3ZOdmrDsp6j1I6XPH2X798MRlBmpfF2TtvaobZw1AAAABcGFwEJgJAABwsBAAEjAwEBBV0AEAAADIDyCgHcStlZAAA=';

async function read(bytes: Uint8Array, name?: string): Promise<string> {
  const { parts } = await readArchive(bytes, name === undefined ? {} : { name });
  return parts[0]?.markdown ?? '';
}

function tarFile(name: string, content: string): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write(content.length.toString(8).padStart(11, '0'), 124);
  header.write('14000000000', 136);
  header.write('        ', 148);
  header.write('0', 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  const body = Buffer.alloc(Math.ceil(content.length / 512) * 512);
  body.write(content);
  return Buffer.concat([header, body]);
}

verifies('documents:archive', 'ZIP, TAR, TAR in gzip and 7z are listed', async () => {
  const zip = zipSync({ 'a.txt': Buffer.from('hello'), 'sub/ü.txt': Buffer.from('x') });
  expect(await read(zip)).toMatch(/\| a\.txt \| 5 \|[^]*\| sub\/ü\.txt \| 1 \|/);
  const tar = Buffer.concat([
    tarFile('one.txt', 'abc'),
    tarFile('two.txt', ''),
    Buffer.alloc(1024),
  ]);
  expect(await read(tar)).toMatch(/\| one\.txt \| 3 \| 2021-[^]*\| two\.txt \| 0 \|/);
  expect(await read(gzipSync(tar))).toMatch(/\| one\.txt \| 3 \|/);
  expect(await read(Buffer.from(SEVEN_ZIP, 'base64'))).toMatch(
    /3 files, 98 bytes[^]*\| a\.txt \| 6 \|[^]*\| second-file-with-a-long-name\.txt \| 90 \|/,
  );
});

verifies('documents:archive', 'A text in gzip is read, another file is named', async () => {
  expect(await read(gzipSync('line 1\nline 2'), 'notes.txt.gz')).toBe('line 1\nline 2');
  const { notices } = await readArchive(gzipSync(Buffer.from([0, 1, 2, 255])), {
    name: 'x.bin.gz',
  });
  expect(notices.map(({ code }) => code)).toEqual(['document_parts_not_read']);
});

verifies('documents:legacy-hostile', 'Names of files cannot change the table', async () => {
  const zip = zipSync({ 'a|b\n| evil | 1 |\u202egpj.exe': Buffer.from('') });
  const lines = (await read(zip)).split('\n');
  expect(lines).toHaveLength(5);
  expect(lines[4]).toContain(String.raw`a\|b \| evil \| 1 \|gpj.exe`);
});

verifies(
  'documents:legacy-hostile',
  'Archives that are cut off give a part or a typed error',
  async () => {
    const zip = zipSync({ 'a.txt': Buffer.from('hello'), 'b.txt': Buffer.from('x') });
    for (const bytes of [Buffer.from(zip), Buffer.from(SEVEN_ZIP, 'base64'), gzipSync('text')])
      for (let length = 0; length < bytes.length; length++) {
        try {
          await readArchive(bytes.subarray(0, length), {});
        } catch (error) {
          expect(error).toBeInstanceOf(CallError);
        }
      }
  },
);
