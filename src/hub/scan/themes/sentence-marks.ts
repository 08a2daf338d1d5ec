import type { MarkClass } from './mark-class.ts';
import type { Sentence, Word } from './sentences.ts';

/** What a sentence is by its form, as it was written. */
const FORMS: readonly (readonly [MarkClass, RegExp])[] = [
  // `SYSTEM NOTICE: …`, `[ADMIN OVERRIDE]`
  [
    'systemVoice',
    /(?:^|[[#*>(]\s?)(?:[A-Z]{3,} )?(?:SYSTEM|ADMIN|ADMINISTRATOR|SECURITY|COMPLIANCE|MAINTAINER|DEVELOPER|PLATFORM|OPERATOR)\b[A-Z ]{0,30}(?:\([^)]{0,20}\))?[:\]*#]/,
  ],
  [
    'youAreNow',
    /\byou(?: are|'re|’re) now\b|\bfrom (?:here|now) on,? you (?:are|act)\b|\byou are (?:"|“|«|an? unrestricted|no longer)/i,
  ],
  // `![](https://…)`
  ['pixel', /!\[[^\]]{0,80}\]\(\s?https?:|<img\s[^>]{0,80}src/i],
  // `after the tenth call`, `from 2027-01-01 on`
  [
    'trigger',
    /\b(?:after|from|until|on|every|during|for) (?:the )?(?:first |next )?(?:\w+th|second|third|first|few|several|two|three|five|ten|\d+(?:st|nd|rd|th)?) (?:successful |more )?(?:calls?|invocations?|uses?|runs?|requests?)\b/i,
  ],
  ['trigger', /\b(?:after|later than|from|since|past) (?:the )?\d{4}-\d\d-\d\d/i],
];

export function marksOfForm({ raw, words }: Sentence): MarkClass[] {
  const marks = FORMS.filter(([, pattern]) => pattern.test(raw)).map(([mark]) => mark);
  return addressesModel(words) ? [...marks, 'noteToModel'] : marks;
}

/** `Note to the model: …`, `Hello assistant, …` */
function addressesModel(words: readonly Word[]): boolean {
  const from = words.slice(0, 4).findIndex(({ classes }) => classes.has('noteWord'));
  if (from === -1) return false;
  const isGreeting = words[from]?.classes.has('greeting') === true;
  const model = words.findIndex(
    ({ classes }, at) => at > from && at < from + 5 && classes.has('model'),
  );
  if (model === -1) return false;
  return words
    .slice(model + 1, model + 4)
    .some(({ text }) => text === ':' || (isGreeting && text === ','));
}
