import type { FindingSeverity } from '#core/hub/finding.ts';

const CHAT_TOKENS =
  /<\|(?:im_start|im_end|system|user|assistant|endoftext|begin_of_text|start_header_id|eot_id)\|>|\[\/?INST\]|<<\/?SYS>>|<\/?(?:start|end)_of_turn>/i;
/** Tokens and labels in the style of a message of the system. */
const LABEL =
  /<\|\/?[a-z_]{3,30}\|>|\[\/?(?:[A-Z]+[_ ]){0,2}(?:SYSTEM|ADMIN|PRIORITY|SECURITY|DEVELOPER|ROOT)[_ ](?:[A-Z]+[_ ]){0,2}(?:OVERRIDE|DIRECTIVE|INSTRUCTIONS?|BYPASS|COMMAND|PROMPT)\]/;
const HIDDEN_TAG = /<\/?(?:hidden|secret|invisible|backdoor|covert)(?:[ _-][a-z]{1,20})?>/i;
const ADDRESSING_TAG =
  /<(?:global|important|system|instructions?|override|admin|assistant|urgent|critical|sys|rules?|directive)(?:[ _-][a-z]{1,20})?>/gi;
const SECTION_TAG =
  /(?:^<|[ _-])(?:notes?|information|info|guidelines|details|rules?|instructions?)>$/i;
const COMMENT = '<!--';
const MAX_TAGS = 20;
const WITHIN_CHARS = 2_000;
const MIN_COMMENT_WORDS = 4;
/** From which weight of its themes on a part of a text in such markup is an order. */
const IN_SECTION = 10;
const IN_TAG = 5;
const IN_COMMENT = 2;

/** Markup that a reader does not see or that imitates messages of the system. */
export function findMarkup(
  text: string,
  weigh: (inside: string) => number,
): FindingSeverity | undefined {
  if (!text.includes('<') && !text.includes('[')) return undefined;
  if (CHAT_TOKENS.test(text) || LABEL.test(text) || HIDDEN_TAG.test(text)) return 'high';
  let found: FindingSeverity | undefined;
  let tags = 0;
  for (const tag of text.matchAll(ADDRESSING_TAG)) {
    if (++tags > MAX_TAGS) return 'high';
    const start = tag.index + tag[0].length;
    const inside = text.slice(start, start + WITHIN_CHARS);
    // `<important_notes>` are sections of honest descriptions, which say how to use the tool.
    const isSection = SECTION_TAG.test(tag[0]);
    if (weigh(inside.split('</', 1)[0] ?? '') >= (isSection ? IN_SECTION : IN_TAG)) return 'high';
    found = isSection ? (found ?? 'low') : 'medium';
  }
  for (let at = text.indexOf(COMMENT), n = 0; at !== -1; at = text.indexOf(COMMENT, at + 4)) {
    if (++n > MAX_TAGS) return 'high';
    const inside = text.slice(at + COMMENT.length, at + WITHIN_CHARS).split('-->', 1)[0] ?? '';
    if (weigh(inside) >= IN_COMMENT) return 'high';
    if (inside.trim().split(/\s+/).length >= MIN_COMMENT_WORDS) found = 'medium';
  }
  return found;
}
