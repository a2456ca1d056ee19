// One small API, described in each version of the specification.

export const url = 'https://api.example.com/docs/openapi.json'

const pet = {
  type: 'object',
  description: 'An animal for sale.',
  required: ['id', 'name'],
  properties: {
    id: { type: 'integer', format: 'int64', readOnly: true },
    name: { type: 'string', description: 'What it is called', maxLength: 40 },
    status: { type: 'string', enum: ['available', 'sold'], default: 'available' },
    owner: { $ref: '#/components/schemas/Owner' },
    tags: { type: 'array', items: { type: 'object', properties: { label: { type: 'string' } } } },
  },
  example: { id: 7, name: 'Rex' },
}

const owner = {
  type: 'object',
  properties: {
    email: { type: 'string', format: 'email' },
    pets: { type: 'array', items: { $ref: '#/components/schemas/Pet' } },
  },
}

const limit = {
  name: 'limit',
  in: 'query',
  description: 'How many pets to return at one time',
  schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
}

const pets = {
  'application/json': { schema: { type: 'array', items: { $ref: '#/components/schemas/Pet' } } },
}
const failure = {
  description: 'The request cannot be served',
  content: {
    'application/json': {
      schema: {
        type: 'object',
        properties: { code: { type: 'integer', description: 'Number of the error' } },
      },
      example: { code: 42 },
    },
  },
}

export const openapi3 = {
  openapi: '3.0.3',
  info: {
    title: 'Pet Store',
    version: '1.2.0',
    description: 'Sells pets.\n\n# Paging\n\nLists come in pages.',
  },
  servers: [{ url: '/v1' }],
  tags: [{ name: 'pets', description: 'All about pets' }],
  security: [{ token: [] }],
  paths: {
    '/pets': {
      get: {
        operationId: 'listPets',
        summary: 'List all pets',
        description: 'Pets come in the order of their names.',
        tags: ['pets'],
        parameters: [{ $ref: '#/components/parameters/limit' }],
        responses: { 200: { description: 'A page of pets', content: pets }, default: failure },
      },
      post: {
        operationId: 'createPet',
        tags: ['pets'],
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } },
        },
        responses: { 201: { description: 'It was added' }, '4XX': failure },
      },
    },
    '/pets/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
      delete: { deprecated: true, security: [], responses: { 204: { description: 'It is gone' } } },
    },
  },
  components: {
    parameters: { limit },
    schemas: { Pet: pet, Owner: owner },
    securitySchemes: { token: { type: 'http', scheme: 'bearer', description: 'Ask us for one' } },
  },
}

export const openapi31 = {
  ...openapi3,
  openapi: '3.1.0',
  webhooks: {
    petSold: { post: { summary: 'A pet was sold', responses: { 200: { description: 'Noted' } } } },
  },
}

export const swagger2 = {
  swagger: '2.0',
  info: { title: 'Pet Store', version: '1.2.0' },
  host: 'api.example.com',
  basePath: '/v1',
  schemes: ['https'],
  produces: ['application/json'],
  paths: {
    '/pets': {
      get: {
        operationId: 'listPets',
        summary: 'List all pets',
        tags: ['pets'],
        parameters: [
          {
            name: 'limit',
            in: 'query',
            type: 'integer',
            maximum: 100,
            description: 'How many pets to return at one time',
          },
        ],
        responses: {
          200: {
            description: 'A page of pets',
            schema: { type: 'array', items: { $ref: '#/definitions/Pet' } },
          },
        },
      },
      post: {
        tags: ['pets'],
        consumes: ['application/json'],
        parameters: [{ name: 'pet', in: 'body', required: true, schema: { $ref: '#/definitions/Pet' } }],
        responses: { 201: { description: 'It was added' } },
      },
    },
    '/pets/{id}/photo': {
      put: {
        parameters: [
          { name: 'id', in: 'path', required: true, type: 'integer' },
          { name: 'file', in: 'formData', required: true, type: 'file', description: 'The photo itself' },
        ],
        responses: { 200: { description: 'It was stored' } },
      },
    },
  },
  definitions: {
    Pet: { type: 'object', properties: { name: { type: 'string', description: 'What it is called' } } },
  },
}

export function toBody(value: unknown): Uint8Array {
  return new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value))
}
