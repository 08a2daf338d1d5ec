import { expect, test } from 'vitest';
import { paintExplanation } from './paint-explanation.ts';
import { plain, type Paint } from './paint.ts';

const marked: Paint = (colour, text) => (text === '' ? '' : `<${colour}>${text}</${colour}>`);

const TEXT = `Request: chat, about 12 tokens
Panel: kimi-k3, glm-5.3

Class: chat, 90 % sure; rule 12, simple_tool

Rules:
     1 explicit_model  no model is named
  x  5 file_question   nobody is left
  > 12 simple_tool     chat is simple

Chain:
  1. glm-4.7-flash of glm: it is fast
     thinking off, room for 9 tokens

Left out:
  kimi-k3 of kimi: no key

Payload: POST https://api.z.ai
{
    "content": "x",
Rules:
}`;

test('headings, rules, details and who is out have their colours; what is sent has none', () => {
  expect(paintExplanation(TEXT, marked)).toBe(`<bold>Request</bold>: chat, about 12 tokens
<bold>Panel</bold>: kimi-k3, glm-5.3

<bold>Class</bold>: chat, 90 % sure; rule 12, simple_tool

<bold>Rules</bold>:
<dim>     1 explicit_model  no model is named</dim>
<yellow>  x  5 file_question   nobody is left</yellow>
<green>  > 12 simple_tool     chat is simple</green>

<bold>Chain</bold>:
  1. glm-4.7-flash of glm: it is fast
<dim>     thinking off, room for 9 tokens</dim>

<bold>Left out</bold>:
<dim>  kimi-k3 of kimi: no key</dim>

<bold>Payload</bold>: POST https://api.z.ai
{
    "content": "x",
Rules:
}`);
});

test('that nobody can be asked stands out', () => {
  const text =
    'Request: chat\n\nNobody can be asked (not_configured): No key.\n  fix: exai keys add';
  expect(paintExplanation(text, marked)).toBe(
    '<bold>Request</bold>: chat\n\n<red>Nobody can be asked (not_configured)</red>: No key.\n  fix: exai keys add',
  );
});

test('where there are no colours, nothing is changed', () => {
  expect(paintExplanation(TEXT, plain)).toBe(TEXT);
});
