// What the drivers share: the questions they ask, and how they tell what came of them.

export const SAID = 'Zürich, 北京 and 🚀 on one line';
export const ASK = `Say exactly: ${SAID}`;
export const WEATHER_ASK = 'What is the weather in "Paris"?';
export const CITY_ASK = 'Describe the city "Oslo" with 709037 people.';
export const BOTH_ASK =
  'Go. [[call get_weather {"city":"Paris"}]] [[call get_time {"city":"Oslo"}]]';

/** 2 × 3 pixels. */
export const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAIAAAA2iEnWAAAAEUlEQVR4nGP4z8DwnwGMERQARNAF+7BYSawAAAAASUVORK5CYII=';

export const weather = {
  name: 'get_weather',
  description: 'The weather in a city now.',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string', description: 'Name of the city.' } },
    required: ['city'],
    additionalProperties: false,
  },
  run: ({ city }) => ({ city, celsius: 21 }),
};

export const time = { ...weather, name: 'get_time', description: 'The time in a city now.' };

/**
 * Takes the steps that each server is asked for, one after the other, and prints what came of them as one line of JSON: by server
 * and step the value, or what was thrown. `stepsFor` gives the steps by name.
 */
export async function drive(stepsFor) {
  const { servers, ...options } = JSON.parse(process.argv[2]);
  const told = {};
  for (const server of servers) {
    const steps = await stepsFor(server, options);
    told[server.name] = {};
    for (const name of server.steps) {
      told[server.name][name] = steps[name]
        ? await outcome(steps[name])
        : { threw: { name: 'NoSuchStep', message: name } };
    }
  }
  console.log(JSON.stringify(told));
}

async function outcome(step) {
  const startedAt = performance.now();
  try {
    return { value: await step(), ms: Math.round(performance.now() - startedAt) };
  } catch (error) {
    return { threw: describe(error), ms: Math.round(performance.now() - startedAt) };
  }
}

export function describe(error) {
  return {
    name: error?.name?.startsWith('AI_') ? error.name : (error?.constructor?.name ?? 'unknown'),
    status: error?.status ?? error?.statusCode ?? null,
    message: String(error?.message ?? error).slice(0, 300),
  };
}

/** Plans a fault for the next request. */
export async function fault(server, plan) {
  const answer = await fetch(`${server.emulator}/_faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ vendor: server.vendor, times: 1, ...plan }),
  });
  if (!answer.ok) throw new Error(`the fault was refused: ${await answer.text()}`);
}
