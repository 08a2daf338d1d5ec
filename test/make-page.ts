/** The picture of a page: lines of words, as black bars on white. */
export function makePage(width = 720, height = 960): Buffer {
  const rowBytes = Math.ceil((width * 3) / 4) * 4;
  const bmp = Buffer.alloc(54 + rowBytes * height, 255);
  bmp.fill(0, 0, 54);
  bmp.write('BM');
  bmp.writeUInt32LE(bmp.length, 2);
  bmp.writeUInt32LE(54, 10);
  bmp.writeUInt32LE(40, 14);
  bmp.writeInt32LE(width, 18);
  bmp.writeInt32LE(height, 22);
  bmp.writeUInt16LE(1, 26);
  bmp.writeUInt16LE(24, 28);
  for (let line = 0; line < 24; line += 1) {
    for (let y = 100 + line * 32; y < 110 + line * 32; y += 1) {
      for (let x = 80; x < width - 80; x += 1) {
        // Words of different lengths, with letters that are not solid.
        const isGap = (x + line * 17) % 53 < 9 || x % 4 === 0;
        if (!isGap && y < height)
          bmp.fill(20, 54 + y * rowBytes + x * 3, 57 + y * rowBytes + x * 3);
      }
    }
  }
  return bmp;
}
