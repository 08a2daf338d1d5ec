/** A PDF with one page of text and an unused stream that makes it as long as asked for. */
export function paddedPdf(text: string, bytes: number): Buffer {
  const content = `BT /F1 12 Tf 72 720 Td (${text}) Tj ET`;
  const objects = [
    Buffer.from('<< /Type /Catalog /Pages 2 0 R >>'),
    Buffer.from('<< /Type /Pages /Kids [4 0 R] /Count 1 >>'),
    Buffer.from('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'),
    Buffer.from(
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents 5 0 R >>',
    ),
    Buffer.from(`<< /Length ${content.length} >>\nstream\n${content}\nendstream`),
    Buffer.concat([
      Buffer.from(`<< /Length ${bytes} >>\nstream\n`),
      paddingOf(bytes),
      Buffer.from('\nendstream'),
    ]),
  ];
  const parts = [Buffer.from('%PDF-1.4\n')];
  let length = parts[0]?.length ?? 0;
  let rows = '0000000000 65535 f \n';
  for (const [at, object] of objects.entries()) {
    rows += `${String(length).padStart(10, '0')} 00000 n \n`;
    const whole = Buffer.concat([
      Buffer.from(`${at + 1} 0 obj\n`),
      object,
      Buffer.from('\nendobj\n'),
    ]);
    parts.push(whole);
    length += whole.length;
  }
  const size = objects.length + 1;
  const end = `xref\n0 ${size}\n${rows}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${length}\n%%EOF\n`;
  return Buffer.concat([...parts, Buffer.from(end)]);
}

/** Bytes that do not compress to nothing. By index: a thousand of these are made in one run. */
function paddingOf(length: number): Buffer {
  const padding = Buffer.allocUnsafe(length);
  for (let at = 0; at < length; at++) padding[at] = (at * 31 + (at >> 8)) % 251;
  return padding;
}
