// What MCP's conformance suite starts as the client of a scenario: it sends what it was given to test/e2e/conformance-driver.ts, which
// plays the scenario, and ends as that says.
import { connect } from 'node:net';

const [socket, url] = process.argv.slice(2);
const { env } = process;
const given = {
  url,
  scenario: env.MCP_CONFORMANCE_SCENARIO ?? '',
  version: env.MCP_CONFORMANCE_PROTOCOL_VERSION ?? '',
  context: JSON.parse(env.MCP_CONFORMANCE_CONTEXT ?? '{}'),
};
let text = '';
connect(socket)
  .setEncoding('utf8')
  .on('data', (part) => (text += part))
  .on('end', () => {
    const { code, output } = JSON.parse(text);
    process.stderr.write(`${output}\n`);
    process.exitCode = code;
  })
  .end(JSON.stringify(given));
