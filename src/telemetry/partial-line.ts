import type { FileHandle } from 'node:fs/promises';

const BLOCK = 65_536;
const NEWLINE = 0x0a;

/** Cuts off what follows the last newline, the trace of a write that did not finish. Returns the size of the file. */
export async function trimPartialLine(file: FileHandle): Promise<number> {
  const { size } = await file.stat();
  const end = await lastLineEnd(file, size);
  if (end < size) await file.truncate(end);
  return end;
}

async function lastLineEnd(file: FileHandle, size: number): Promise<number> {
  const block = Buffer.alloc(Math.min(BLOCK, size));
  for (let from = size; from > 0;) {
    const length = Math.min(block.length, from);
    from -= length;
    const { bytesRead } = await file.read(block, 0, length, from);
    const newline = block.subarray(0, bytesRead).lastIndexOf(NEWLINE);
    if (newline !== -1) return from + newline + 1;
  }
  return 0;
}
