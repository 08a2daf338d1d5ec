const STOP = new Set(
  (
    'a an and any are as at be but by can could did do does for from had has have he her his how i if in into is it its me my of on ' +
    'or our please she so tell than that the their them then there these they this to use used using was we were what when where which who ' +
    'why will with would you your about say give show'
  ).split(' '),
);

const CJK = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/;

/**
 * The words of a text that mean something, in lower case; of scripts without blanks, each pair of
 * characters.
 */
export function contentWords(text: string): string[] {
  const words: string[] = [];
  for (const match of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) {
    const word = match[0];
    if (CJK.test(word)) {
      for (let at = 0; at + 1 < word.length; at += 1) words.push(word.slice(at, at + 2));
      if (word.length === 1) words.push(word);
    } else if (!STOP.has(word)) words.push(stem(word));
  }
  return words;
}

/** `cities` and `city`, `files` and `file` are one word. */
function stem(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (word.length > 3 && word.endsWith('s') && !word.endsWith('ss')) return word.slice(0, -1);
  return word;
}

export function languageOf(text: string): string {
  if (/[\u3040-\u30ff]/.test(text)) return 'Japanese';
  if (/[\uac00-\ud7af]/.test(text)) return 'Korean';
  if (/[\u3400-\u9fff]/.test(text)) return 'Chinese';
  if (/[\u0400-\u04ff]/.test(text)) return 'Russian';
  if (/[\u0600-\u06ff]/.test(text)) return 'Arabic';
  if (/\b(der|die|und|nicht|ist|ein|eine)\b/i.test(text)) return 'German';
  if (/\b(le|les|est|une|et|pas|que)\b/i.test(text)) return 'French';
  if (/\b(el|los|una|qué|por|está)\b/i.test(text)) return 'Spanish';
  return 'English';
}
