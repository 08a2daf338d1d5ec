import { TextDecoder } from 'node:util';

/** Encodings by the numbers that Windows gives them. */
const LABELS: Readonly<Record<number, string>> = {
  708: 'iso-8859-6',
  866: 'ibm866',
  874: 'windows-874',
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  1361: 'euc-kr',
  10_000: 'macintosh',
  10_001: 'shift_jis',
  10_002: 'big5',
  10_003: 'euc-kr',
  10_007: 'x-mac-cyrillic',
  10_008: 'gbk',
  20_127: 'windows-1252',
  20_866: 'koi8-r',
  20_932: 'euc-jp',
  20_936: 'gbk',
  21_866: 'koi8-u',
  28_591: 'windows-1252',
  32_768: 'macintosh',
  32_769: 'windows-1252',
  50_220: 'iso-2022-jp',
  50_221: 'iso-2022-jp',
  50_222: 'iso-2022-jp',
  51_932: 'euc-jp',
  51_936: 'gbk',
  51_949: 'euc-kr',
  52_936: 'gbk',
  54_936: 'gb18030',
  65_001: 'utf-8',
};

/** The upper halves of the encodings of DOS, which `TextDecoder` does not know. */
const CP437 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0';
const CP850 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0';
const DOS: Readonly<Record<number, string>> = { 437: CP437, 850: CP850 };

export type DecodeBytes = (bytes: Uint8Array) => string;

const decoders = new Map<number, DecodeBytes>();

/** A decoder for a code page of Windows; unknown ones are read as Western. */
export function codePageDecoder(codePage: number): DecodeBytes {
  const known = decoders.get(codePage);
  if (known !== undefined) return known;
  const decode = createDecoder(codePage);
  decoders.set(codePage, decode);
  return decode;
}

function createDecoder(codePage: number): DecodeBytes {
  const upper = DOS[codePage];
  if (upper !== undefined) return (bytes) => decodeDos(bytes, upper);
  const isWindows = codePage >= 1250 && codePage <= 1258;
  const isIso = codePage >= 28_592 && codePage <= 28_606;
  const label = isWindows
    ? `windows-${codePage}`
    : isIso
      ? `iso-8859-${codePage - 28_590}`
      : (LABELS[codePage] ?? 'windows-1252');
  const decoder = makeDecoder(label);
  return (bytes) => decoder.decode(bytes);
}

function makeDecoder(label: string): TextDecoder {
  try {
    return new TextDecoder(label);
  } catch {
    return new TextDecoder('windows-1252');
  }
}

function decodeDos(bytes: Uint8Array, upper: string): string {
  return Array.from(bytes, (byte) =>
    byte < 0x80 ? String.fromCharCode(byte) : (upper[byte - 0x80] ?? '\ufffd'),
  ).join('');
}

/** The code page that Windows uses for a language, by the number of its locale. */
export function codePageOfLanguage(language: number): number {
  if (language === 0x0404 || language === 0x0c04) return 950;
  return BY_LANGUAGE[language & 0x3ff] ?? 1252;
}

const BY_LANGUAGE: Readonly<Record<number, number>> = {
  0x01: 1256,
  0x02: 1251,
  0x04: 936,
  0x05: 1250,
  0x08: 1253,
  0x0d: 1255,
  0x0e: 1250,
  0x11: 932,
  0x12: 949,
  0x15: 1250,
  0x18: 1250,
  0x19: 1251,
  0x1a: 1250,
  0x1b: 1250,
  0x1e: 874,
  0x1f: 1254,
  0x22: 1251,
  0x23: 1251,
  0x24: 1250,
  0x25: 1257,
  0x26: 1257,
  0x27: 1257,
  0x29: 1256,
  0x2a: 1258,
  0x2f: 1251,
};
