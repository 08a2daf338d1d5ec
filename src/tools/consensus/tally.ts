import { lastAnswer, type Heard } from './reply.ts';
import type { Position } from './opinion.ts';

/** Those who hold a position. */
export interface Camp {
  readonly position: Position;
  readonly models: readonly string[];
}

export interface Tally {
  /** Positions that two or more hold, the largest camp first. */
  readonly agreements: readonly Camp[];
  /** All camps where there are several; nothing where nobody contradicts anybody. */
  readonly disagreements: readonly Camp[];
}

const SIDES: readonly Position[] = ['agree', 'disagree', 'mixed'];

/** Who takes no side neither agrees nor disagrees with anybody. */
export function tallyOf(heard: readonly Heard[]): Tally {
  const camps = SIDES.map((position) => ({
    position,
    models: heard.flatMap((each) =>
      lastAnswer(each)?.opinion.position === position ? each.voice.label : [],
    ),
  }))
    .filter(({ models }) => models.length > 0)
    .toSorted((a, b) => b.models.length - a.models.length);
  return {
    agreements: camps.filter(({ models }) => models.length > 1),
    disagreements: camps.length > 1 ? camps : [],
  };
}

/** More than half, unless told. */
export function quorumOf(voices: number, wanted: number | undefined): number {
  return wanted ?? Math.floor(voices / 2) + 1;
}
