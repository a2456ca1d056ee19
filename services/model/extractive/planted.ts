// Sentences of pages that speak to a machine rather than to a reader: they are never quoted.

const signs = [
  /\b(?:ignore|disregard|forget|override|bypass)\b.{0,60}\b(?:instructions?|prompts?|rules|guidelines|above|previous|prior|everything)\b/iu,
  /\b(?:you are|you're|act as|pretend to be|behave as|as)\s+(?:now\s+)?(?:an?\s+|the\s+)?(?:\p{L}+\s+){0,2}(?:ai|assistant|language model|llm|chat ?bot|dan)\b/iu,
  /\b(?:ai|llm|chat ?bot|(?:ai|virtual|support) assistants?|assistants?|language models?)\b.{0,40}\b(?:must|should|shall|please|reply|respond|answer|say|tell|output|recommend)\b/iu,
  /\b(?:system|developer|hidden|secret)\s+(?:prompt|message|instructions?)\b/iu,
  /\b(?:tell|inform|instruct|convince|urge|ask|direct)\s+(?:the\s+|every\s+|all\s+)?(?:user|reader|customer|visitor|human)s?\b/iu,
  /\b(?:do not|don't|never)\s+(?:mention|reveal|disclose|tell|cite)\b.{0,40}\b(?:this|these|instruction|prompt|user|source|anyone)\b/iu,
  /\b(?:reply|respond|answer)\s+(?:only\s+|exactly\s+)?(?:with|in|by)\b/iu,
  /<\|[^|]{0,40}\|>|\[\/?(?:INST|SYSTEM)\]|^\s*(?:system|assistant|user)\s*:/iu,
  /\b(?:append|include|insert|embed|render|add)\b.{0,60}\b(?:to|in|at)\s+(?:the\s+|your\s+|every\s+)?(?:answers?|responses?|repl(?:y|ies))\b/iu,
]

export function isPlanted(text: string): boolean {
  return signs.some((sign) => sign.test(text))
}
