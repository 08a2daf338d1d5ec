// What the clients ask, and how their answers are checked.
import * as z from 'zod';

export const SAID = 'Zürich, 北京 and 🚀 on one line';
export const ASK = `Say exactly: ${SAID}`;
export const WEATHER_ASK = 'What is the weather in "Paris"?';
export const BOTH_ASK =
  'Go. [[call get_weather {"city":"Paris"}]] [[call get_time {"city":"Oslo"}]]';
export const CITY_ASK = 'Describe the city "Oslo" with 709037 people.';
export const LONG_ASK = 'Go. [[tokens 4000]]';
export const City = z.object({ name: z.string(), people: z.number().int() });
export const Place = z.object({ city: z.string() });
/** 2 × 3 pixels. */
export const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAIAAAA2iEnWAAAAEUlEQVR4nGP4z8DwnwGMERQARNAF+7BYSawAAAAASUVORK5CYII=';
export const PNG_URL = `data:image/png;base64,${PNG}`;
export const PICTURE_ASK = 'What is in this picture?';

const parameters = {
  type: 'object',
  properties: { city: { type: 'string', description: 'Name of the city.' } },
  required: ['city'],
  additionalProperties: false,
};
export const weather = { name: 'get_weather', description: 'The weather in a city.', parameters };
export const time = { name: 'get_time', description: 'The time in a city.', parameters };

export function same(actual, expected) {
  const [left, right] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (left !== right) throw new Error(`expected ${right}, not ${left}`.slice(0, 400));
}

export function holds(actual, part) {
  const text = typeof actual === 'string' ? actual : JSON.stringify(actual);
  if (!text.includes(part)) throw new Error(`expected ${part} in ${text}`.slice(0, 400));
}

/** What it throws must match; a success is a failure. */
export async function throws(work, expected) {
  let thrown;
  try {
    await work();
  } catch (error) {
    thrown = error;
  }
  if (!thrown) throw new Error('expected an error, and there was none');
  for (const [name, value] of Object.entries(expected)) {
    if (thrown[name] !== value) {
      throw new Error(`expected ${name} ${value}, not ${thrown[name]}: ${thrown.message}`);
    }
  }
}

/** Reads a part of a stream, then gives up. */
export async function abandon(open) {
  const aborting = new AbortController();
  let read = 0;
  try {
    for await (const _ of await open(aborting.signal)) {
      if (++read === 3) aborting.abort();
    }
  } catch (error) {
    if (!aborting.signal.aborted) throw error;
  }
  if (read > 200) throw new Error(`it read ${read} pieces after it gave up`);
}
