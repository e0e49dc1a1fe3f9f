// Writes `schemas.d.ts` from what a server says about itself:
//   okno serve &
//   node schemas.mjs [URL]
import { writeFileSync } from 'node:fs';

/** The types of an OpenAPI description. */
export function typesOf({ components: { schemas } }) {
  const each = Object.entries(schemas).map(([name, schema]) => {
    const type = typeOf(schema);
    const told = comment(schema.description, '');
    return type.startsWith('{')
      ? `${told}export interface ${name} ${type}\n`
      : `${told}export type ${name} = ${type};\n`;
  });
  return `// Made by schemas.mjs from the description of the server; not edited by hand.\n\n${each.join('\n')}`;
}

function typeOf(schema, indent = '') {
  if (schema.$ref) return schema.$ref.split('/').at(-1);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.allOf) return schema.allOf.map((one) => typeOf(one, indent)).join(' & ');
  const either = schema.oneOf ?? schema.anyOf;
  if (either) return [...new Set(either.map((one) => typeOf(one, indent)))].join(' | ');
  const types = [schema.type].flat().map((type) => plain(type, schema, indent));
  return [...new Set(types)].join(' | ');
}

function plain(type, schema, indent) {
  if (type === 'integer') return 'number';
  if (type === 'array') return schema.items ? arrayOf(typeOf(schema.items, indent)) : 'unknown[]';
  if (type === 'object') return objectOf(schema, indent);
  return type ?? 'unknown';
}

const arrayOf = (type) => (/[|&]/.test(type) ? `(${type})[]` : `${type}[]`);

function objectOf({ properties, required = [], additionalProperties }, indent) {
  if (!properties) {
    const of =
      typeof additionalProperties === 'object' ? typeOf(additionalProperties, indent) : 'unknown';
    return `Record<string, ${of}>`;
  }
  const inner = `${indent}  `;
  const fields = Object.entries(properties).map(([name, schema]) => {
    const key = /^\w+$/.test(name) ? name : JSON.stringify(name);
    return `${comment(schema.description, inner)}${inner}${key}${required.includes(name) ? '' : '?'}: ${typeOf(schema, inner)};\n`;
  });
  return `{\n${fields.join('')}${indent}}`;
}

/** What a description says up to the first example in it. */
function comment(description, indent) {
  const said = (description ?? '').split('\n\n```')[0].replaceAll('*/', '* /').trim();
  if (!said) return '';
  const lines = said.split('\n');
  if (lines.length === 1) return `${indent}/** ${said} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd() + '\n').join('')}${indent} */\n`;
}

if (process.argv[1] === import.meta.filename) {
  const url = process.argv[2] ?? 'http://127.0.0.1:7765';
  const description = await (await fetch(`${url}/api/v1/openapi.json`)).json();
  writeFileSync(new URL('schemas.d.ts', import.meta.url), typesOf(description));
}
