# A static binary in an empty image: no shell, no libraries, no root. `deploy/image.sh` builds the same
# last stage without a registry.
FROM rust:1-alpine AS build
RUN apk add --no-cache musl-dev gcc make
WORKDIR /src
COPY . .
# What `drover --version` names: .git is not here.
ARG DROVER_COMMIT=""
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/src/target \
    DROVER_COMMIT="$DROVER_COMMIT" cargo build --release --locked \
 && install -D target/release/drover /out/image/drover \
 && deploy/licenses.sh /out/image/licenses \
 && install -d -m 1777 /out/image/tmp \
 && install -d /out/data

FROM scratch
LABEL org.opencontainers.image.title="Drover" \
      org.opencontainers.image.description="A gateway daemon that hosts game bots and referees their games" \
      org.opencontainers.image.licenses="MIT OR Apache-2.0"
# The executable, /licenses and /tmp.
COPY --from=build /out/image/ /
COPY --from=build --chown=10001:10001 /out/data /data
USER 10001:10001
VOLUME /data
WORKDIR /data
# REST needs a token: without DROVER__API__TOKEN_FILE the first start makes one and prints it.
ENV PATH=/ \
    DROVER__STORE__PATH=/data/drover.db \
    DROVER__CALLBACKS__LISTEN=0.0.0.0:8080 \
    DROVER__API__LISTEN=0.0.0.0:8081 \
    DROVER__API__FIRST_TOKEN_FILE=/data/api_token
EXPOSE 8080 8081 56789
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=6s --start-period=20s --retries=3 CMD ["/drover", "health"]
ENTRYPOINT ["/drover"]
CMD ["serve"]
