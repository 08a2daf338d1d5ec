import { formatDuration, formatUsd, formatWhole } from '#core/text/format.ts';
import { renderDocument, renderMessage } from './document.ts';
import { html, type Html } from './html.ts';
import type { PageCall, PageData, PageProvider, PageUsage } from './page-data.ts';

/** The page of the owner. */
export function renderOverview(data: PageData): Html {
  const { version, uptimeS, readAt } = data;
  return renderDocument(
    'EX-AI',
    html`<main>
      <header>
        <h1>EX-AI</h1>
        <span class="dim">${version}, up for ${formatDuration(uptimeS)}</span>
        <div class="actions">
          <a href="/">Reload</a>
          <form method="post" action="/logout"><button>Log out</button></form>
        </div>
      </header>
      <p>
        One local endpoint that gives every AI client the right model, an answer even when a
        provider fails, and the right tool.
      </p>
      ${data.notices.length > 0 ? renderNotices(data.notices) : undefined}
      <div class="pair">${renderAddress(data)} ${renderToday(data.today)}</div>
      ${renderProviders(data.providers)} ${renderCalls(data.calls)} ${renderConnect(data)}
      <p class="dim">
        As of ${readAt}. This page does not refresh by itself. The costs are those that EX-AI
        computed from the prices of the models.
      </p>
    </main>`,
  );
}

/** What everyone else sees. */
export function renderStranger(): Html {
  return renderMessage('EX-AI is running');
}

function renderNotices(notices: readonly string[]): Html {
  const items = notices.map((notice) => html`<li>${notice}</li>`);
  return html`<section aria-labelledby="notices">
    <h2 id="notices" class="warn">Needs attention</h2>
    <ul>
      ${items}
    </ul>
  </section>`;
}

function renderAddress({ url, gateway }: PageData): Html {
  const gatewayUrl =
    gateway === 'on'
      ? html`<code>${url}/v1</code>`
      : html`switched off (<code>gateway.enabled</code>)`;
  return html`<section aria-labelledby="address">
    <h2 id="address">Address</h2>
    <dl>
      <dt>MCP</dt>
      <dd><code>${url}/mcp</code></dd>
      <dt>Gateway</dt>
      <dd>${gatewayUrl}</dd>
    </dl>
  </section>`;
}

function renderToday(today: PageUsage | undefined): Html {
  return html`<section aria-labelledby="today">
    <h2 id="today">Today${today && html` <span class="dim">(${today.day}, UTC)</span>`}</h2>
    ${today ? renderUsage(today) : NOT_READ}
  </section>`;
}

const NOT_READ = html`<p class="bad">
  The store does not answer. <code>exai doctor</code> shows the reason.
</p>`;

function renderUsage(today: PageUsage): Html {
  const figures: readonly (readonly [string, string])[] = [
    ['cost', formatUsd(today.costMicroUsd)],
    ['requests to models', formatWhole(today.requests)],
    ['tokens in', formatWhole(today.inputTokens)],
    ['tokens out', formatWhole(today.outputTokens)],
  ];
  const items = figures.map(
    ([name, value]) =>
      html`<div>
        <dt>${name}</dt>
        <dd class="figure">${value}</dd>
      </div>`,
  );
  const remarks = today.remarks.map((remark) => html`<p class="dim">${remark}</p>`);
  return html`<dl class="figures">${items}</dl>
    ${remarks}`;
}

const SET_UP = html`<span class="good">yes</span>`;
const NOT_SET_UP = html`<span class="dim">no</span>`;
const BREAKERS: Readonly<Record<PageProvider['breaker'], Html>> = {
  closed: html`<span class="good">in use</span>`,
  half_open: html`<span class="warn">on trial</span>`,
  open: html`<span class="bad">paused</span>`,
  unknown: html`<span class="bad">not known</span>`,
};

const PROVIDER_COLUMNS = ['Provider', 'Set up', 'State', 'Details'].map(columnHead);

function columnHead(name: string): Html {
  return html`<th role="columnheader" scope="col">${name}</th>`;
}

function renderProviders(providers: readonly PageProvider[]): Html {
  const rows = providers.map(
    ({ title, isSetUp, breaker, details }) =>
      html`<tr role="row">
        <th role="rowheader" scope="row">${title}</th>
        <td role="cell" data-label="Set up">${isSetUp ? SET_UP : NOT_SET_UP}</td>
        <td role="cell" data-label="State">${isSetUp ? BREAKERS[breaker] : NONE}</td>
        <td role="cell" data-label="Details">${renderDetails(details)}</td>
      </tr>`,
  );
  return html`<section aria-labelledby="providers">
    <h2 id="providers">Providers</h2>
    <table role="table">
      <thead role="rowgroup">
        <tr role="row">
          ${PROVIDER_COLUMNS}
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${rows}
      </tbody>
    </table>
  </section>`;
}

const NONE = html`<span>–</span>`;

function renderDetails(details: readonly string[]): Html {
  if (details.length === 0) return NONE;
  return html`<div>${details.map((detail) => html`<p>${detail}</p>`)}</div>`;
}

const COLUMNS = ['Time', 'Tool', 'Client', 'Model', 'Outcome'] as const;
const NUMBER_COLUMNS = ['Duration', 'Cost'] as const;

function renderCalls(calls: readonly PageCall[] | undefined): Html {
  return html`<section aria-labelledby="calls">
    <h2 id="calls">Last calls</h2>
    ${calls ? renderCallTable(calls) : NOT_READ}
  </section>`;
}

function renderCallTable(calls: readonly PageCall[]): Html {
  if (calls.length === 0)
    return html`<p>No calls yet. Try: <code>exai ask "What can you do?"</code></p>`;
  const heads = [
    ...COLUMNS.map(columnHead),
    ...NUMBER_COLUMNS.map(
      (name) => html`<th role="columnheader" scope="col" class="number">${name}</th>`,
    ),
  ];
  return html`<table role="table" class="calls">
    <thead role="rowgroup">
      <tr role="row">
        ${heads}
      </tr>
    </thead>
    <tbody role="rowgroup">
      ${calls.map(renderCall)}
    </tbody>
  </table>`;
}

const RESULT_CLASS: Readonly<Record<PageCall['result'], string>> = {
  ok: 'good',
  degraded: 'warn',
  failed: 'bad',
};

function renderCall(call: PageCall): Html {
  const { at, shownAt, tool, client, models, outcome, result, elapsedMs, costMicroUsd } = call;
  return html`<tr role="row">
    <td role="cell" data-label="Time"><time datetime="${at}">${shownAt}</time></td>
    <td role="cell" data-label="Tool" class="short"><bdi>${tool}</bdi></td>
    <td role="cell" data-label="Client"><bdi>${client}</bdi></td>
    <td role="cell" data-label="Model">
      <bdi>${models.length === 0 ? '–' : models.join(' → ')}</bdi>
    </td>
    <td role="cell" data-label="Outcome" class="short">
      <span class="${RESULT_CLASS[result]}">${outcome}</span>
    </td>
    <td role="cell" data-label="Duration" class="number">${formatElapsed(elapsedMs)}</td>
    <td role="cell" data-label="Cost" class="number">
      ${costMicroUsd === undefined ? '–' : formatUsd(costMicroUsd)}
    </td>
  </tr> `;
}

function formatElapsed(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** Commands with the address of this daemon; the token is printed by its command alone. */
function renderConnect({ url, gateway }: PageData): Html {
  const curl = `curl ${url}/v1/chat/completions \\
  -H "Authorization: Bearer $(exai token show)" \\
  -H 'Content-Type: application/json' \\
  -d '{"model": "auto", "messages": [{"role": "user", "content": "What is 2 + 3?"}]}'`;
  const viaGateway = html`<p>Claude Code, opencode or Codex on any of the models:</p>
    <pre>exai code claude</pre>
    <p>Any program with an OpenAI or Anthropic library; for example with curl:</p>
    <pre>${{ markup: preformatted(curl) }}</pre>`;
  return html`<section aria-labelledby="connect">
    <h2 id="connect">Connect a client</h2>
    <p>Claude Code, VS Code, Cursor, Codex, Gemini CLI and other MCP clients:</p>
    <pre>exai init</pre>
    ${gateway === 'on' ? viaGateway : undefined}
  </section>`;
}

/** Escapes line by line: line breaks are otherwise shown as invisible characters. */
function preformatted(text: string): string {
  return text
    .split('\n')
    .map((line) => html`${line}`.markup)
    .join('\n');
}
