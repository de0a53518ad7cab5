# The image of a release: the static binary, and nothing else.
FROM scratch
ARG TARGETPLATFORM
COPY $TARGETPLATFORM/spiff /spiff
WORKDIR /work
ENTRYPOINT ["/spiff"]
