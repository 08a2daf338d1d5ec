import { isSecretParameter } from '#core/secret-names.ts';
import type { Range } from './find-pieces.ts';

const PARAMETER = /[?&#]([^=&#\s]{1,200})=([^&#\s"'<>\\]+)/g;
const USER = /\bhttps?:(?:\\?\/){2}([^/?#@\s"'<>\\]+)@/g;

/** Where a text with addresses has users with passwords, and parameters whose names speak of secrets. */
export function findSecretParameters(text: string): readonly Range[] {
  const found: Range[] = [];
  for (const { 0: whole, 1: user = '', index } of text.matchAll(USER)) {
    const to = index + whole.length - 1;
    found.push([to - user.length, to]);
  }
  for (const { 0: whole, 1: name = '', 2: value = '', index } of text.matchAll(PARAMETER)) {
    const to = index + whole.length;
    if (isSecretParameter(decoded(name))) found.push([to - value.length, to]);
  }
  return found.toSorted(([a], [b]) => a - b);
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    // A lone percent sign stands for itself.
    return name;
  }
}
