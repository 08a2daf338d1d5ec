/** What bytes are by their first bytes: documents that are read, and files that are not. */
export interface Signature {
  readonly mediaType: string;
  /** In words, for the error: "This is a PNG image". */
  readonly name: string;
  /** In hexadecimal, with dots for any digit. */
  readonly hex: string;
  /** Where it begins (default: 0). */
  readonly at?: number;
}

const signature = (mediaType: string, name: string, hex: string, at = 0): Signature => ({
  mediaType,
  name,
  hex,
  at,
});

export const ARCHIVES: readonly Signature[] = [
  signature('application/gzip', 'a gzip file', '1f8b08'),
  signature('application/x-7z-compressed', 'a 7z archive', '377abcaf271c'),
  signature('application/vnd.rar', 'a RAR archive', '526172211a07'),
  signature('application/x-bzip2', 'a bzip2 file', '425a68..314159265359'),
  signature('application/x-xz', 'an xz file', 'fd377a585a00'),
  signature('application/zstd', 'a Zstandard file', '28b52ffd'),
  signature('application/x-tar', 'a tar archive', '7573746172', 257),
];

/** Files without text to read. */
export const NO_DOCUMENTS: readonly Signature[] = [
  signature('image/png', 'a PNG image', '89504e470d0a1a0a'),
  signature('image/jpeg', 'a JPEG image', 'ffd8ff'),
  signature('image/gif', 'a GIF image', '47494638'),
  signature('image/webp', 'a WebP image', '52494646........57454250'),
  signature('image/bmp', 'a BMP image', '424d........00000000'),
  signature('image/tiff', 'a TIFF image', '49492a00'),
  signature('image/tiff', 'a TIFF image', '4d4d002a'),
  signature('image/avif', 'an AVIF image', '........6674797061766966'),
  signature('image/heic', 'a HEIC image', '........66747970686569'),
  signature('image/heic', 'a HEIC image', '........667479706d696631'),
  signature('image/jp2', 'a JPEG 2000 image', '0000000c6a502020'),
  signature('image/x-icon', 'an icon', '00000100'),
  signature('image/vnd.adobe.photoshop', 'a Photoshop image', '38425053'),
  signature('video/quicktime', 'a QuickTime video', '........6674797071742020'),
  signature('audio/mp4', 'MPEG-4 audio', '........667479704d3441'),
  signature('video/mp4', 'an MP4 video', '........66747970'),
  signature('video/webm', 'a WebM or Matroska video', '1a45dfa3'),
  signature('video/x-msvideo', 'an AVI video', '52494646........41564920'),
  signature('video/mpeg', 'an MPEG video', '000001ba'),
  signature('video/x-flv', 'a Flash video', '464c5601'),
  signature('audio/wav', 'a WAV sound', '52494646........57415645'),
  signature('audio/mpeg', 'an MP3 sound', '494433'),
  signature('audio/mpeg', 'an MP3 sound', 'fffb'),
  signature('audio/ogg', 'an Ogg file', '4f676753'),
  signature('audio/flac', 'a FLAC sound', '664c6143'),
  signature('audio/midi', 'a MIDI file', '4d546864'),
  signature('application/vnd.microsoft.portable-executable', 'a Windows program', '4d5a'),
  signature('application/x-elf', 'an ELF program', '7f454c46'),
  signature('application/x-mach-binary', 'a macOS program', 'cffaedfe'),
  signature('application/java-vm', 'a Java class', 'cafebabe'),
  signature('application/wasm', 'a WebAssembly module', '0061736d'),
  signature('application/vnd.sqlite3', 'an SQLite database', '53514c69746520666f726d61742033'),
  signature('font/woff', 'a font', '774f4646'),
  signature('font/woff2', 'a font', '774f4632'),
  signature('font/ttf', 'a font', '0001000000'),
  signature('font/otf', 'a font', '4f54544f'),
  signature('application/vnd.apache.parquet', 'a Parquet file', '50415231'),
];

export function matchSignature(
  bytes: Uint8Array,
  signatures: readonly Signature[],
): Signature | undefined {
  return signatures.find(({ hex, at = 0 }) => {
    const start = Buffer.from(bytes.subarray(at, at + hex.length / 2)).toString('hex');
    if (start.length < hex.length) return false;
    return Array.from(hex).every((digit, index) => digit === '.' || digit === start[index]);
  });
}
