import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { decodeUnknownText } from './decode-text.ts';
import { guessEncoding } from './guess-encoding.ts';

/** Texts in encodings that Node cannot write, as hexadecimal bytes. */
const SAMPLES: readonly (readonly [encoding: string, text: string, hex: string])[] = [
  [
    'windows-1252',
    'Le garçon a mangé une pomme à la fenêtre.',
    '4c6520676172e76f6e2061206d616e67e920756e6520706f6d6d6520e0206c612066656eea7472652e',
  ],
  [
    'windows-1250',
    'Všichni lidé se rodí svobodní a sobě rovní.',
    '569a6963686e69206c6964e920736520726f64ed2073766f626f646eed206120736f62ec20726f766eed2e',
  ],
  [
    'windows-1254',
    'Bütün insanlar eşit doğarlar, akıl ve vicdana sahiptirler.',
    '42fc74fc6e20696e73616e6c61722065fe697420646ff061726c61722c20616bfd6c2076652076696364616e612073616869707469726c65722e',
  ],
  [
    'windows-1251',
    'Все люди рождаются свободными и равными.',
    'c2f1e520ebfee4e820f0eee6e4e0fef2f1ff20f1e2eee1eee4edfbece820e820f0e0e2edfbece82e',
  ],
  [
    'koi8-r',
    'Все люди рождаются свободными и равными.',
    'f7d3c520ccc0c4c920d2cfd6c4c1c0d4d3d120d3d7cfc2cfc4ced9cdc920c920d2c1d7ced9cdc92e',
  ],
  [
    'ibm866',
    'Все люди рождаются свободными и равными.',
    '82e1a520abeea4a820e0aea6a4a0eee2e1ef20e1a2aea1aea4adebaca820a820e0a0a2adebaca82e',
  ],
  [
    'windows-1253',
    'Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι.',
    'bcebefe920efe920dcede8f1f9f0efe920e3e5edede9effdedf4e1e920e5ebe5fde8e5f1efe920eae1e920dff3efe92e',
  ],
  [
    'windows-1255',
    'כל בני האדם נולדו בני חורין ושווים בערכם',
    'ebec20e1f0e920e4e0e3ed20f0e5ece3e520e1f0e920e7e5f8e9ef20e5f9e5e5e9ed20e1f2f8ebed',
  ],
  [
    'windows-1256',
    'يولد جميع الناس أحرارا متساوين في الكرامة والحقوق',
    'ede6e1cf20cce3edda20c7e1e4c7d320c3cdd1c7d1c720e3cad3c7e6ede420dded20c7e1dfd1c7e3c920e6c7e1cddee6de',
  ],
  [
    'windows-874',
    'มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกัน',
    'c1b9d8c9c2ecb7d1e9a7cbc5d2c2e0a1d4b4c1d2c1d5cdd4cac3d0e1c5d0e0cac1cdc0d2a4a1d1b9',
  ],
  [
    'gb18030',
    '人人生而自由，在尊严和权利上一律平等。',
    'c8cbc8cbc9fab6f8d7d4d3c9a3acd4dad7f0d1cfbacdc8a8c0fbc9cfd2bbc2c9c6bdb5c8a1a3',
  ],
  [
    'big5',
    '人人生而自由，在尊嚴和權利上一律平等。',
    'a448a448a5cda6d3a6dba5d1a141a662b44cc459a94dc576a751a457a440abdfa5adb5a5a143',
  ],
  [
    'shift_jis',
    'すべての人間は、生まれながらにして自由である。',
    '82b782d782c482cc906c8ad482cd814190b682dc82ea82c882aa82e782c982b582c48ea9975282c582a082e98142',
  ],
  [
    'euc-jp',
    'すべての人間は、生まれながらにして自由である。',
    'a4b9a4d9a4c6a4cebfcdb4d6a4cfa1a2c0b8a4dea4eca4caa4aca4e9a4cba4b7a4c6bcabcdb3a4c7a4a2a4eba1a3',
  ],
  [
    'iso-2022-jp',
    'すべての人間は、生まれながらにして自由である。',
    '1b2442243924592446244e3f4d3456244f21224038245e246c244a242c2469244b243724463c2b4d3324472422246b21231b2842',
  ],
  [
    'euc-kr',
    '모든 인간은 태어날 때부터 자유로우며 동등하다.',
    'b8f0b5e720c0ceb0a3c0ba20c5c2beeeb3af20b6a7bacec5cd20c0dac0afb7cebfecb8e720b5bfb5eec7cfb4d92e',
  ],
];

verifies('documents:encodings', 'a text without a declaration is read in its encoding', () => {
  for (const [encoding, text, hex] of SAMPLES) {
    const decoded = decodeUnknownText(Buffer.from(hex, 'hex'), undefined);
    expect({ encoding, ...decoded }).toEqual({ encoding, text, guessed: encoding });
  }
});

test('UTF-8 and marked texts are not guessed', () => {
  expect(decodeUnknownText(Buffer.from('naïve – 日本'), undefined)).toEqual({
    text: 'naïve – 日本',
  });
  const wide = Buffer.from('\ufeffWide text', 'utf16le');
  expect(decodeUnknownText(wide, undefined)).toEqual({ text: 'Wide text' });
  expect(decodeUnknownText(Buffer.from('fffe000041000000', 'hex'), undefined)).toEqual({
    text: 'A',
  });
});

test('UTF-16 without a mark is found by its zero bytes', () => {
  const text = 'A line of text\nand another one\n';
  expect(guessEncoding(Buffer.from(text, 'utf16le'))).toBe('utf-16le');
  expect(guessEncoding(Buffer.from(text, 'utf16le').swap16())).toBe('utf-16be');
});

test('a declared charset decides', () => {
  const bytes = Buffer.from('e4f6fc', 'hex');
  expect(decodeUnknownText(bytes, 'text/plain; charset=iso-8859-7').text).toBe('δφό');
});
