/** The style of every page: system fonts, light and dark by the user's setting. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --back: #f6f7f9; --card: #fff; --text: #1b2430; --dim: #556070; --line: #dde2e8; --code: #eef1f5;
  --link: #0b5cad; --good: #13693a; --bad: #b3261e; --warn: #8a5300;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #11161c; --card: #19202a; --text: #e4e9ef; --dim: #9fabba; --line: #2d3743; --code: #232c38;
    --link: #7cbcff; --good: #6fd59b; --bad: #ff9c94; --warn: #f3bd6a;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--back); color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  overflow-wrap: anywhere;
}
main { max-width: 68rem; margin: 0 auto; padding: 1.25rem 1rem 3rem; }
main.message { max-width: 32rem; padding-top: 18vh; }
header { display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem 1rem; }
h1 { font-size: 1.5rem; margin: 0; }
h2 { font-size: 1.05rem; margin: 0 0 .75rem; }
p { margin: .5rem 0; }
.dim { color: var(--dim); }
.actions { display: flex; align-items: center; gap: 1rem; margin-left: auto; }
section { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: 1rem 1.1rem; margin-top: 1rem; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 0 1rem; }
a { color: var(--link); }
a:focus-visible, button:focus-visible, input:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
button, input { font: inherit; color: inherit; padding: .35rem .8rem; border: 1px solid var(--dim); border-radius: .4rem; background: var(--card); }
button { cursor: pointer; }
button:hover { background: var(--code); }
input { display: block; width: 100%; margin: .35rem 0 .75rem; font-family: ui-monospace, Menlo, Consolas, monospace; }
code, pre { font: .9em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; background: var(--code); border-radius: .3rem; }
code { padding: .1em .3em; }
pre { margin: .35rem 0 .9rem; padding: .6rem .75rem; white-space: pre-wrap; }
pre:last-child { margin-bottom: 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .35rem 1rem; margin: 0; }
dt { color: var(--dim); }
dd { margin: 0; }
.figure { font-size: 1.6rem; font-weight: 600; line-height: 1.2; }
.figures { display: grid; grid-template-columns: 1fr 1fr; gap: .5rem 1rem; margin: 0; }
.figures div { display: flex; flex-direction: column-reverse; }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { text-align: left; vertical-align: top; padding: .4rem .75rem .4rem 0; border-top: 1px solid var(--line); }
thead th { border-top: 0; color: var(--dim); font-weight: 500; font-size: .9rem; }
tbody th { font-weight: 600; }
th:last-child, td:last-child { padding-right: 0; }
.number { text-align: right; white-space: nowrap; }
time, .short { white-space: nowrap; }
.good { color: var(--good); }
.bad { color: var(--bad); }
.warn { color: var(--warn); }
ul { margin: 0; padding-left: 1.1rem; }
td p { margin: 0; }
@media (max-width: 46rem) {
  .pair { grid-template-columns: 1fr; }
  .actions { margin-left: 0; width: 100%; }
  dl:not(.figures) { grid-template-columns: 1fr; gap: 0; }
  dl:not(.figures) dd { margin-bottom: .5rem; }
  table, tbody, tr, th, td { display: block; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tr { border-top: 1px solid var(--line); padding: .5rem 0; }
  tbody tr:first-child { border-top: 0; padding-top: 0; }
  th, td { border: 0; padding: .1rem 0; }
  td[data-label] { display: grid; grid-template-columns: 6rem 1fr; gap: .5rem; }
  td[data-label]::before { content: attr(data-label); color: var(--dim); }
  .number { text-align: left; white-space: normal; }
  .calls tr { display: flex; flex-wrap: wrap; gap: 0 .6rem; }
  .calls td[data-label] { display: block; }
  .calls td[data-label]::before { content: none; }
  .calls .number { order: 1; }
  .calls [data-label="Tool"] { flex: 1 0 calc(100% - 9.5rem); font-weight: 600; white-space: normal; }
  .calls [data-label="Time"] { order: 2; flex: 1 0 10rem; }
  .calls [data-label="Outcome"] { order: 3; }
  .calls [data-label="Model"] { order: 4; flex: 1 0 100%; }
  .calls [data-label="Time"], .calls [data-label="Model"] { color: var(--dim); font-size: .85rem; }
  .calls td[data-label="Client"] { display: none; }
}
`;
