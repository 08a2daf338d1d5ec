export { fromWireJson, toWireJson } from '#transport/http/wire-json.ts';
