/** How files of a kind begin, in hexadecimal, dots for any byte. Servers say the wrong thing, or nothing, about many of them. */
const SIGNATURES: readonly (readonly [string, string])[] = [
  ['image/png', '89504e470d0a1a0a'],
  ['image/jpeg', 'ffd8ff'],
  ['image/gif', '47494638'],
  ['image/webp', '52494646........57454250'],
  ['image/bmp', '424d........00000000'],
  ['image/avif', '........6674797061766966'],
  ['image/heic', '........6674797068656963'],
  ['image/heic', '........667479706d696631'],
  ['image/tiff', '49492a00'],
  ['image/tiff', '4d4d002a'],
  ['video/quicktime', '........6674797071742020'],
  ['video/mp4', '........66747970'],
  ['video/webm', '1a45dfa3'],
  ['video/x-msvideo', '52494646........41564920'],
  ['video/mpeg', '000001ba'],
];

/** The media type of these bytes: by what they are, else by what their server says. */
export function sniffMedia(bytes: Uint8Array, contentType: string): string {
  const beginning = Buffer.from(bytes.subarray(0, 16)).toString('hex');
  const known = SIGNATURES.find(([, signature]) =>
    signature.split('').every((digit, at) => digit === '.' || digit === beginning[at]),
  );
  return known?.[0] ?? (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
}
