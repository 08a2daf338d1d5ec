import type { SentenceReading } from '../themes/read-themes.ts';
import { featuresOfName, featuresOfSentence, type Features, type NameContext } from './features.ts';
import file from './weights.json' with { type: 'json' };

/** What the wording of a whole definition amounts to: the logarithm of the odds that it is poisoned. */
export interface WeighedWording {
  readonly score: number;
  /** Where the sentence is that says most for it. */
  readonly at: string;
  readonly excerpt: string;
}

/** Reads the wording of a definition, text by text. */
export interface Wording {
  /** What some sentences amount to by themselves, whatever stands around them. */
  scoreOf(sentences: readonly SentenceReading[]): number;
  addText(at: string, sentences: readonly SentenceReading[]): void;
  /** A name of an argument, or one word of an enumeration. */
  addName(name: string): void;
  weigh(): WeighedWording;
  features(): Features;
}

const WEIGHTS = new Map<string, number>();
for (const [weight, names] of Object.entries(file.weights)) {
  for (const name of names.split('|')) WEIGHTS.set(name, Number(weight));
}

export function createWording(tool: string, names: NameContext): Wording {
  const ofName = featuresOfName(tool, 'tool');
  const features = new Set(ofName);
  let most = { score: 0, at: '', excerpt: '' };

  function scoreOf(sentences: readonly SentenceReading[]): number {
    const own = new Set(ofName);
    for (const reading of sentences)
      for (const feature of featuresOfSentence(reading, names)) own.add(feature);
    return score(own);
  }

  return {
    scoreOf,
    addText(at, sentences) {
      for (const reading of sentences) {
        const own = featuresOfSentence(reading, names);
        for (const feature of own) features.add(feature);
        const { sum } = sumOf(own);
        if (sum > most.score) most = { score: sum, at, excerpt: reading.sentence.raw };
      }
    },
    addName(name) {
      for (const feature of featuresOfName(name, 'name')) features.add(feature);
    },
    weigh: () => ({ score: score(features), at: most.at, excerpt: most.excerpt }),
    features: () => features,
  };
}

/** A definition of three words says too little. */
const MIN_JUDGED_FEATURES = 8;

function score(features: Features): number {
  const { sum, found } = sumOf(features);
  const judged = file.bias + sum * scaleOf(found);
  return found < MIN_JUDGED_FEATURES ? Math.min(0, judged) : judged;
}

const MIN_FEATURES = 36;

/** A long definition has more features, and not more to say; one of few words says little. */
function scaleOf(found: number): number {
  return 4 / (Math.sqrt(Math.max(found, MIN_FEATURES)) + 1);
}

function sumOf(features: Features): { readonly sum: number; readonly found: number } {
  let sum = 0;
  let found = 0;
  for (const feature of features) {
    const weight = WEIGHTS.get(feature);
    if (weight === undefined) continue;
    sum += weight;
    found += 1;
  }
  return { sum, found };
}
