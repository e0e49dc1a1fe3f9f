// A follow-up takes the subject of the question before it, and a question that stands by itself takes nothing.
import test from 'node:test';
import assert from 'node:assert/strict';
import { subjectOf, whole } from '../followup.js';

const CASES = [
  [
    'How many days of annual leave do I get?',
    'and how many can I carry over?',
    'how many can I carry over – days of annual leave?',
  ],
  ['How do I start the QX-250 logger?', 'And how do I pause it?', 'how do I pause QX-250 logger?'],
  ['How many days of annual leave do I get?', 'How hot should green tea be?', null],
  ['How hot should green tea be?', 'Is green tea better than it was?', null],
  ['番茄蛋花汤要几个鸡蛋？', '那要煮多久？', '番茄蛋花汤，要煮多久？'],
  ['番茄蛋花汤要几个鸡蛋？', '它要煮多久？', '番茄蛋花汤要煮多久？'],
  ['如何申请年假？', '那要提前几天？', '申请年假，要提前几天？'],
  ['番茄蛋花汤要几个鸡蛋？', '醋溜土豆丝怎么做？', null],
  ['', 'and then?', null],
];

test('a follow-up is asked with the subject of the question before', () => {
  for (const [before, typed, expected] of CASES) {
    const made = whole(typed, subjectOf(before));
    assert.equal(made.question, expected ?? typed);
    assert.equal(Boolean(made.carried), expected !== null, typed);
  }
});
