import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { cutInSteps, isLongToCut } from './cut-in-steps.ts';
import { cutCharacters } from './cut-words.ts';

const TEXTS = {
  Thai: 'ผู้ดูแลท่าเรืออ่านตารางน้ำขึ้นน้ำลงวันละสองครั้ง ',
  Japanese: '灯台守は一日に二度潮見表を読み、それから灯台に火をともします。',
  accents: 'Der Hafenmeister öffnet die Türen für Éloïse. ',
  emoji: '港🌊の守り人👩‍🚀は読む',
};

test.each(Object.entries(TEXTS))(
  'words of long texts are the same in steps: %s',
  async (_, text) => {
    const long = text.repeat(4000);
    expect(isLongToCut(long)).toBe(true);
    const words: string[] = [];
    await cutInSteps(long, (some) => words.push(...some));
    expect(words).toEqual(cutCharacters(long));
  },
);

verifies('stalls:turns', 'others get turns while a long text is cut into words', async () => {
  const megabyte = TEXTS.Thai.repeat(20_000);
  let turns = 0;
  let isOver = false;
  const others = (async () => {
    for (; !isOver; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  })();
  await cutInSteps(megabyte, () => {});
  isOver = true;
  await others;
  expect(turns).toBeGreaterThanOrEqual(30);
});
