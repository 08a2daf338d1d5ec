import type { Labels } from '#core/telemetry.ts';
import { formatLabels } from './prometheus.ts';

/** The values of one metric, one for each set of labels. */
export interface Series<Value> {
  /** The value for these labels, or nothing when the metric is full. */
  at(labels: Labels | undefined): Value | undefined;
  /** Formatted labels with their value, in order. */
  list(): [labels: string, value: Value][];
}

/** What all metrics of one registry hold to. */
export interface SeriesRules {
  max: number;
  onFull: () => void;
  /** Labels without their secrets. */
  clean: (labels: Labels) => Labels;
}

export interface SeriesOptions<Value> extends SeriesRules {
  create: () => Value;
}

const NONE: Labels = Object.freeze({});

export function createSeries<Value>(options: SeriesOptions<Value>): Series<Value> {
  const { create, max, onFull, clean } = options;
  const values = new Map<string, Value>();
  // Labels as their caller wrote them lead straight to the value; cleaning and formatting happen once for each spelling.
  const spellings = new Map<string, Value>();
  // What is frozen cannot come to mean something else, and is known without being read.
  const frozen = new WeakMap<Labels, Value>();
  // Those that found no room, so that each further one of them costs no more than one that did.
  const turnedAway = new Set<string>();

  function find(labels: Labels, spelling: string): Value | undefined {
    const formatted = formatLabels(clean(labels));
    let value = values.get(formatted);
    if (value === undefined) {
      if (values.size >= max) {
        if (turnedAway.size < max * 16) turnedAway.add(spelling);
        onFull();
        return undefined;
      }
      value = create();
      values.set(formatted, value);
    }
    if (spellings.size < max * 2) spellings.set(spelling, value);
    return value;
  }

  return {
    at(labels = NONE) {
      const same = frozen.get(labels);
      if (same !== undefined) return same;
      let spelling = '';
      for (const name in labels) {
        const value = String(labels[name]);
        // With the length before it, no value can pass for another label.
        spelling += `${name}\n${value.length}\n${value}`;
      }
      const known = spellings.get(spelling);
      if (known === undefined && turnedAway.has(spelling)) {
        onFull();
        return undefined;
      }
      const value = known ?? find(labels, spelling);
      if (value !== undefined && Object.isFrozen(labels)) frozen.set(labels, value);
      return value;
    },
    list: () => [...values].sort(([a], [b]) => (a < b ? -1 : 1)),
  };
}
