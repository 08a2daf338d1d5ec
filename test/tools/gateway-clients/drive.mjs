// Every SDK and agent library of the table in docs/clients.md, as it is published, against the gateway. Prints one line of JSON: by client and
// cell "ok", or what went wrong. Arguments: the address of the gateway, a key, and a part of the names of the wanted clients.
import { readdir } from 'node:fs/promises';

const [url, key, wanted = ''] = process.argv.slice(2);
const here = new URL('.', import.meta.url);
const files = (await readdir(new URL('clients/', here))).filter((name) => name.endsWith('.mjs'));
const told = {};
for (const file of files.toSorted()) {
  const { clients } = await import(new URL(`clients/${file}`, here).href);
  for (const [name, cells] of Object.entries(await clients({ url, key }))) {
    if (!name.toLowerCase().includes(wanted.toLowerCase())) continue;
    told[name] = {};
    for (const [cell, work] of Object.entries(cells)) told[name][cell] = await outcome(work);
  }
}
process.stdout.write(`${JSON.stringify(told)}\n`, () => process.exit(0));

async function outcome(work) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer within 60 seconds')), 60_000);
  });
  try {
    await Promise.race([work(), late]);
    return 'ok';
  } catch (error) {
    return `${error?.name ?? 'Error'}: ${String(error?.message ?? error).slice(0, 400)}`;
  } finally {
    clearTimeout(timer);
  }
}
