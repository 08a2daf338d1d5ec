import { anchorOf } from './anchor.ts';
import { PREAMBLES } from './ways.fixture.ts';

/** What a model writes after the text that was told, and what it should have written. */
type Way = (told: string, rest: string) => string | undefined;

const lastWords = (told: string, count: number) =>
  new RegExp(`(?:\\S+\\s+){0,${count - 1}}\\S+$`, 'u').exec(told)?.[0];

/** The ways in which models continue, by name; undefined where one is not possible. */
export const SEAM_WAYS: Readonly<Record<string, Way>> = {
  exactly: (_, rest) => rest,
  'begins again': (told, rest) => told + rest,
  'repeats the last word': (told, rest) => {
    const word = lastWords(told, 1);
    return word === undefined ? undefined : word + rest;
  },
  'repeats the last three words': (told, rest) => {
    const words = lastWords(told, 3);
    return words === undefined ? undefined : words + rest;
  },
  'a preamble': (_, rest) => PREAMBLES[0] + rest.trimStart(),
  'a preamble and the last word': (told, rest) => PREAMBLES[0] + (lastWords(told, 1) ?? '') + rest,
  'the anchor, as it was asked': (told, rest) => {
    const anchor = anchorOf(told);
    return anchor === undefined ? undefined : anchor + rest;
  },
  'an added line break': (_, rest) => `\n${rest}`,
  'an added space': (_, rest) => ` ${rest}`,
  'a line break instead of white space': (_, rest) =>
    /^\s/.test(rest) ? `\n${rest.trimStart()}` : undefined,
  'white space left out': (_, rest) => (/^\s/.test(rest) ? rest.trimStart() : undefined),
  ...Object.fromEntries(
    Array.from({ length: 30 }, (_, at): [string, Way] => [
      `repeats the last ${at + 1} characters`,
      (told, rest) => (told.length <= at + 1 ? undefined : told.slice(-(at + 1)) + rest),
    ]),
  ),
};

const lastLines = (told: string, count: number) => {
  const all = told.split('\n');
  return all.length > count ? all.slice(-count).join('\n') : undefined;
};

const lastSentences = (told: string, count: number) =>
  new RegExp(`(?:[^.!?。]+[.!?。]){0,${count - 1}}[^.!?。]+[.!?。]?$`, 'u').exec(told)?.[0];

/** The rest after other marks or words. */
const after =
  (lead: string): Way =>
  (_, rest) =>
    lead + rest.trimStart();

/** The last four words and the rest, as they are changed here. */
const lastWordsAs =
  (change: (words: string) => string): Way =>
  (told, rest) => {
    const words = lastWords(told, 4);
    return words === undefined ? undefined : change(words) + rest;
  };

const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** A repetition of the end of the text, written in another form. */
const endAs =
  (chars: number, change: (end: string) => string): Way =>
  (told, rest) => {
    const end = told.slice(-chars);
    return told.length <= chars || change(end) === end ? undefined : change(end) + rest;
  };

const LONGER = [31, 35, 40, 46, 60, 77, 100, 150, 250, 390, 399, 400, 401, 403, 450];
const QUESTION = 'How does this work, and what do I have to set?\n\n';

/** Further ways: longer repetitions, other marks and words around them, and other forms of the same text. */
export const MORE_WAYS: Readonly<Record<string, Way>> = {
  ...Object.fromEntries(
    LONGER.map((chars): [string, Way] => [
      `repeats the last ${chars} characters`,
      (told, rest) => (told.length <= chars ? undefined : told.slice(-chars) + rest),
    ]),
  ),
  ...Object.fromEntries(
    [1, 2, 3, 5].map((count): [string, Way] => [
      `repeats the last lines: ${count}`,
      (told, rest) => {
        const said = lastLines(told, count);
        return said === undefined ? undefined : said + rest;
      },
    ]),
  ),
  ...Object.fromEntries(
    [1, 2].map((count): [string, Way] => [
      `repeats the last sentences: ${count}`,
      (told, rest) => {
        const said = lastSentences(told, count)?.trimStart();
        return said === undefined ? undefined : said + rest;
      },
    ]),
  ),
  'three dots and the last words': lastWordsAs((words) => `...${words}`),
  'an ellipsis, a space and the last words': lastWordsAs((words) => `… ${words}`),
  'a dash and the last words': lastWordsAs((words) => `— ${words}`),
  'the last words in quotation marks': lastWordsAs((words) => `"${words}"`),
  'the last words in Chinese quotation marks': lastWordsAs((words) => `「${words}」`),
  'the last words in bold': lastWordsAs((words) => `**${words}**`),
  'the last words after a bullet': lastWordsAs((words) => `- ${words}`),
  'the last words after a zero-width space': lastWordsAs((words) => `\u200B${words}`),
  'the last words with a capital letter': lastWordsAs(capitalised),
  'the last word with a capital letter': (told, rest) => {
    const word = lastWords(told, 1);
    return word === undefined ? undefined : capitalised(word) + rest;
  },
  'the question and the last words': lastWordsAs((words) => QUESTION + words),
  'another sentence and the last words': lastWordsAs(
    (words) => `As you asked, what is missing follows.\n\n${words}`,
  ),
  'another sentence and the whole text': (told, rest) =>
    `As you asked, all of it once more.\n\n${told}${rest}`,
  'a preamble and the whole text': (told, rest) => `Here is the continuation:\n\n${told}${rest}`,
  'a preamble and the last line': (told, rest) => {
    const line = lastLines(told, 1);
    return line === undefined
      ? undefined
      : `Sure! Continuing from where I stopped:\n\n${line}${rest}`;
  },
  'a fence and the last line': (told, rest) => {
    const line = lastLines(told, 1);
    return line === undefined ? undefined : `\`\`\`ts\n${line}${rest}`;
  },
  'after three dots': after('...'),
  'after a byte order mark': (_, rest) => `\uFEFF${rest}`,
  'after a fence': after('```\n'),
  'after agreement': after('Sure! '),
  'after a short preamble': after('Here is the rest:\n\n'),
  'after a note in brackets': after('(continued)\n\n'),
  'after a Chinese preamble': after('接上文：\n\n'),
  'after another Chinese preamble': after('继续：'),
  'decomposed characters': (_, rest) =>
    rest.normalize('NFD') === rest ? undefined : rest.normalize('NFD'),
  'the end in decomposed characters': endAs(30, (end) => end.normalize('NFD')),
  'the end with full-width signs': endAs(40, (end) =>
    end.replaceAll(',', '，').replaceAll(':', '：'),
  ),
  'the end with other quotation marks': endAs(60, (end) => end.replaceAll("'", '’')),
  'the end with Windows line ends': endAs(60, (end) => end.replaceAll('\n', '\r\n')),
  'all with Windows line ends': (told, rest) =>
    rest.includes('\r') || !rest.includes('\n')
      ? undefined
      : `${told.slice(-25)}${rest}`.replaceAll('\n', '\r\n'),
};
